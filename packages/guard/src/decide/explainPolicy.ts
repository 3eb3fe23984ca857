import { findNetwork } from '@touchstone402/shared'
import type { Policy } from './policyTypes.ts'

/**
 * Describes a policy in plain sentences, one per line.
 * @example
 * console.log(explainPolicy(guard.policy).join('\n'))
 */
export function explainPolicy(policy: Policy): string[] {
  const { onUnknown, newSeller, velocity } = policy
  const lines = [
    `Pays at most $${policy.maxPerPaymentUsd} per payment, and $${policy.maxPerHostPerDayUsd} to one host and $${policy.maxPerDayUsd} in total in any 24 hours.`,
    ...(policy.maxPerReceiverPerDayUsd === null
      ? []
      : [`Pays at most $${policy.maxPerReceiverPerDayUsd} to one receiver in any 24 hours.`]),
    policy.maxTotalUsd === null
      ? 'Has no lifetime limit.'
      : `Pays at most $${policy.maxTotalUsd} over the lifetime of the ledger.`,
    `Pays USDC on ${list(policy.networks.map(nameNetwork))}${policy.assets.length === 0 ? '' : `, and ${list(policy.assets.map(({ name, network }) => `${name} on ${nameNetwork(network)}`))}`}.`,
    ...hosts(policy),
    policy.block.length === 0
      ? 'Refuses no verdict without asking.'
      : `Refuses endpoints whose verdict is ${list(policy.block, 'or')}.`,
    {
      ask: 'Asks before it pays an endpoint whose verdict is caution; no answer refuses the payment.',
      allow: 'Pays endpoints whose verdict is caution without asking.',
      block: 'Refuses endpoints whose verdict is caution.',
    }[policy.onCaution],
    `Pays endpoints with little or no evidence up to $${onUnknown.allowUpToUsd}, and up to $${onUnknown.liveCheckUpToUsd} after a live check.`,
    `Pays such endpoints without a live check at most $${onUnknown.maxPerDomainPerDayUsd} for one domain and $${onUnknown.maxPerDayUsd} in total in any 24 hours.`,
    `Without a service, pays a new seller at most $${newSeller.perCallUsd} for one call and $${newSeller.perDayUsd} for one domain, and all new sellers $${newSeller.allPerDayUsd}, in any 24 hours, until it has delivered ${newSeller.deliveries} calls.`,
    `Asks before it pays more than ${newSeller.priceFactor} times what was usual at an endpoint.`,
    policy.onUnavailable === 'cached'
      ? 'While the service is unreachable, uses unexpired signed verdicts and refuses all other payments.'
      : 'While the service is unreachable, refuses all payments.',
    ...(policy.uptoFacilitators.length === 0
      ? []
      : [
          `Pays upto offers, whose amount is a ceiling, through the facilitators ${list(policy.uptoFacilitators)}.`,
        ]),
    ...(policy.foreignCredentials === 'allow' ? [] : ['Refuses requests that carry an L402 token.']),
    `Signs no authorization that is valid for more than ${policy.maxAuthorizationSeconds} seconds.`,
    policy.allowInsecureHttp
      ? 'Pays over https and plain http.'
      : 'Pays over https, and over plain http on this machine only.',
    policy.pinReceivers
      ? 'Refuses a changed receiver unless the verdict calls the new one stable; asks without a service.'
      : 'Does not pin receivers.',
    `Stops paying an endpoint for minutes, then hours, and at most ${policy.strikeSeconds} seconds after ${policy.maxStrikes + 1} paid ${policy.maxStrikes === 0 ? 'call' : 'calls'} without delivery.`,
    `Makes at most ${velocity.perHostPerMinute} payments to a host and ${velocity.identicalPerMinute} for the same call in a minute.`,
  ]
  if (policy.minScore > 0) lines.push(`Refuses endpoints whose trust score is below ${policy.minScore}.`)
  return lines
}

function hosts({ allowHosts, denyHosts, allowReceivers, denyReceivers }: Policy): string[] {
  const lines: string[] = []
  if (allowHosts.length > 0) lines.push(`Pays only the hosts ${list(allowHosts)}.`)
  if (denyHosts.length > 0) lines.push(`Never pays the hosts ${list(denyHosts, 'or')}.`)
  if (allowReceivers.length > 0) lines.push(`Pays only the receivers ${list(allowReceivers)}.`)
  if (denyReceivers.length > 0) lines.push(`Never pays the receivers ${list(denyReceivers, 'or')}.`)
  return lines
}

const nameNetwork = (caip2: string): string => findNetwork(caip2)?.label ?? caip2

function list(words: readonly string[], last = 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
