import { canonicalizeUrl, InvalidUrlError, VERDICT_LABELS } from '@touchstone402/shared'
import type { Guard } from '../../seats/createGuard.ts'
import { ToolError } from './toolError.ts'

/** How the tool is shown to a model. */
export const CHECK_ENDPOINT = {
  name: 'check_x402_endpoint',
  description:
    'Whether an x402 endpoint is safe to pay: its signed verdict, score, flags and the terms that were checked. Free.',
  inputSchema: {
    type: 'object',
    properties: { endpoint: { type: 'string', description: 'The endpoint as an absolute URL.' } },
    required: ['endpoint'],
  },
} as const

/** What a model gives to the tool. */
export type CheckEndpointInput = { endpoint: string }

/**
 * Says as JSON what is known of an endpoint.
 * @throws ToolError when the input is not one
 */
export async function checkEndpoint(guard: Guard, input: unknown): Promise<string> {
  const state = await guard.verdict(readUrl(readField(input, 'endpoint')))
  const label = state.state === 'signed' ? VERDICT_LABELS[state.verdict.verdict] : 'Unavailable'
  return JSON.stringify({ label, ...state })
}

/** Reads a field of what a model gave, whatever that is. */
export function readField(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined
}

/**
 * The canonical form of a URL that a model gave.
 * @throws ToolError
 */
export function readUrl(text: unknown): string {
  try {
    return canonicalizeUrl(typeof text === 'string' ? text : '').key
  } catch (error) {
    if (error instanceof InvalidUrlError)
      throw new ToolError(`Not a URL that can be checked: ${error.message}.`)
    throw error
  }
}
