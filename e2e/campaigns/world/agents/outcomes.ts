import { asObject } from '@touchstone402/shared'
import type { Outcome } from '../books.ts'
import type { FakeAnswer } from '../process/fakeServer.ts'

/** How a call ended; null if its connection did. */
export type Ended = Outcome | null

/** Parses a JSON object; undefined if a text is none. */
export function readJson(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Returns the nonce of the payment that a delivered answer names. */
export function readPaidBy(text: string): string | null {
  const paidBy = readJson(text)?.paidBy
  return typeof paidBy === 'string' ? paidBy : null
}

/** Describes what a call of the owner's program threw. */
export function describeError(error: unknown): Outcome {
  const { code, moneyMayHaveLeft } = Object(error) as { code?: unknown; moneyMayHaveLeft?: unknown }
  return {
    status: null,
    code: typeof code === 'string' ? code : String(error),
    saysNothingSigned: moneyMayHaveLeft !== true,
    paidBy: null,
  }
}

/** Describes an answer of the proxy. */
export function describeAnswer(answer: FakeAnswer | null): Ended {
  if (answer === null) return null
  const { status, headers, text } = answer
  const code = headers.get('touchstone-code')
  const state = code === null ? headers.get('touchstone-state') : readJson(text)?.state
  return { status, code, saysNothingSigned: state === 'none', paidBy: readPaidBy(text) }
}
