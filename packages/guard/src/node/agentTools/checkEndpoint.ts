import { formatUnits, isRecord, USDC_DECIMALS, VERDICT_LABELS } from '@touchstone402/shared'
import { findAllowedAsset, toUsdMicros } from '../../decide/assets.ts'
import type { Policy } from '../../decide/policyTypes.ts'
import { readUrl } from '../../readUrl.ts'
import type { Guard } from '../../seats/createGuard.ts'
import type { CheckedTerm } from '../../types.ts'
import { ToolError } from './toolError.ts'
import { READS, type ToolResult, toResult } from './toolResult.ts'
import { CHECK_OUTPUT } from './verdictSchema.ts'

/** Definition of the tool for models. */
export const CHECK_ENDPOINT = {
  name: 'check_x402_endpoint',
  title: 'Check an x402 endpoint',
  hints: READS,
  description:
    'Checks whether an x402 endpoint is safe to pay: signed verdict, score, flags, and checked terms with their price in dollars. Free.',
  inputSchema: {
    type: 'object',
    properties: { endpoint: { type: 'string', description: 'The endpoint as an absolute URL.' } },
    required: ['endpoint'],
  },
  outputSchema: CHECK_OUTPUT,
} as const

/**
 * Input of the check tool.
 * @example
 * const input: CheckEndpointInput = { endpoint: 'https://api.example.com/weather' }
 */
export type CheckEndpointInput = { endpoint: string }

/**
 * Returns the verdict of an endpoint, with prices in dollars.
 * @throws ToolError if the input is invalid
 */
export async function checkEndpoint(guard: Guard, input: unknown): Promise<ToolResult> {
  const state = await guard.verdict(requireUrl(readField(input, 'endpoint')))
  if (state.state === 'unavailable') return toResult({ label: 'Unavailable', ...state })
  const terms = state.verdict.terms.map((term) => ({
    ...term,
    minUsd: toUsd(guard.policy, term, term.amountAtomicMin),
    maxUsd: toUsd(guard.policy, term, term.amountAtomicMax),
  }))
  const label = VERDICT_LABELS[state.verdict.verdict]
  return toResult({ label, state: state.state, verdict: { ...state.verdict, terms } })
}

function toUsd(policy: Policy, { network, asset }: CheckedTerm, amountAtomic: string): string | null {
  const allowed = findAllowedAsset(policy, network, asset)
  if (allowed === undefined) return null
  return formatUnits(toUsdMicros(BigInt(amountAtomic), allowed.decimals), USDC_DECIMALS)
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
