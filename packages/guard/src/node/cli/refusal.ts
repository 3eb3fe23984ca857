import { findNetwork } from '@touchstone402/shared'
import type { GuardError } from '../../errors.ts'
import { describeFlag } from './flagSentences.ts'

/** Describes a refusal for people: what was offered, which limit it exceeds, why, and what to do. */
export function describeRefusal(error: GuardError): string[] {
  const { code, message, offered, flags = [], moneyMayHaveLeft, remedy, profileUrl } = error
  const lines = [`Refused (${code}): ${message}`]
  if (offered !== undefined) {
    const { amountUsd, network, payTo } = offered
    lines.push(`Offered: $${amountUsd} on ${findNetwork(network)?.label ?? network} to ${payTo}`)
  }
  lines.push(...describeLimit(error), ...flags.map((flag) => `- ${describeFlag(flag)}`))
  if (moneyMayHaveLeft) lines.push('A signed payment may have been collected.')
  lines.push(`What to do: ${remedy}`)
  if (profileUrl !== undefined) lines.push(`Profile: ${profileUrl}`)
  return lines
}

function describeLimit({ limit, remaining, resetsAt }: GuardError): string[] {
  const reset = resetsAt === undefined ? '' : `, next reset ${resetsAt}`
  if (limit === undefined) return []
  if (typeof limit === 'number') return [`Limit: ${limit} payments in a minute, ${remaining} left${reset}`]
  return [`Limit: $${limit}, $${remaining} left${reset}`]
}

/** Returns the fields of a refusal for `--json`. */
export function refusalAsJson(error: GuardError) {
  const { code: refused, shortMessage: reason, message, intent, remedy, moneyMayHaveLeft } = error
  const { limit = null, remaining = null, flags = null, profileUrl = null } = error
  return { refused, reason, message, intent, remedy, limit, remaining, flags, profileUrl, moneyMayHaveLeft }
}
