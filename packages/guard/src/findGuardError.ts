import { isRecord } from '@touchstone402/shared'
import { createGuardError, type GuardError, isGuardError } from './errors.ts'
import { REASONS, type ReasonCode } from './reasons.ts'

const MAX_CAUSES = 16
// The prefix of @x402/fetch and @x402/axios, which keep the message of a refused signature but not the error.
const WRAPPED = /^Failed to create payment payload: (?<message>.*)$/s

/**
 * Returns the guard's error behind an error of a payment library: the error itself or one of its causes. If the library
 * kept only the message, returns a new error of the same class, code and details, without `intent` and `verdict`.
 * @example
 * pay(url).catch((error) => console.log(findGuardError(error)?.code ?? 'network error'))
 */
export function findGuardError(error: unknown): GuardError | undefined {
  let cause = error
  for (let depth = 0; depth < MAX_CAUSES && isRecord(cause); depth++) {
    if (isGuardError(cause)) return cause
    cause = cause.cause
  }
  const text = isRecord(error) && typeof error.message === 'string' ? error.message : ''
  const message = WRAPPED.exec(text)?.groups?.message
  return message === undefined ? undefined : readMessage(message)
}

function readMessage(message: string): GuardError | undefined {
  const found = Object.entries(REASONS).find(
    ([, sentence]) => message === sentence || message.startsWith(`${sentence} `),
  )
  if (found === undefined) return undefined
  const [code, sentence] = found
  const details = message.slice(sentence.length + 1)
  return createGuardError(code as ReasonCode, details === '' ? {} : { details })
}
