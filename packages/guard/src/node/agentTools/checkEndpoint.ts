import { isRecord, VERDICT_LABELS } from '@touchstone402/shared'
import { readUrl } from '../../readUrl.ts'
import type { Guard } from '../../seats/createGuard.ts'
import { ToolError } from './toolError.ts'

/** Definition of the tool for models. */
export const CHECK_ENDPOINT = {
  name: 'check_x402_endpoint',
  description:
    'Checks whether an x402 endpoint is safe to pay: signed verdict, score, flags and checked terms. Free.',
  inputSchema: {
    type: 'object',
    properties: { endpoint: { type: 'string', description: 'The endpoint as an absolute URL.' } },
    required: ['endpoint'],
  },
} as const

/**
 * Input of the check tool.
 * @example
 * const input: CheckEndpointInput = { endpoint: 'https://api.example.com/weather' }
 */
export type CheckEndpointInput = { endpoint: string }

/**
 * Returns the verdict of an endpoint as JSON.
 * @throws ToolError if the input is invalid
 */
export async function checkEndpoint(guard: Guard, input: unknown): Promise<string> {
  const state = await guard.verdict(requireUrl(readField(input, 'endpoint')))
  const label = state.state === 'signed' ? VERDICT_LABELS[state.verdict.verdict] : 'Unavailable'
  return JSON.stringify({ label, ...state })
}

/** Reads a field of a model's input. */
export function readField(input: unknown, name: string): unknown {
  return isRecord(input) ? input[name] : undefined
}

/**
 * Returns the canonical form of a URL given by a model.
 * @throws ToolError
 */
export function requireUrl(text: unknown): string {
  const url = readUrl(typeof text === 'string' ? text : '')
  if (typeof url === 'string') throw new ToolError(`The URL cannot be checked: ${url}.`)
  return url.key
}
