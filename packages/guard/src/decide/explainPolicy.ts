import { findNetwork } from '@touchstone402/shared'
import type { Policy } from './policyTypes.ts'

/** Says in plain words, a sentence a line, what a policy allows. */
export function explainPolicy(policy: Policy): string[] {
  const { onUnknown, velocity } = policy
  const lines = [
    `Pays at most $${policy.maxPerPaymentUsd} at once, $${policy.maxPerHostPerDayUsd} to one host and $${policy.maxPerDayUsd} in all in any 24 hours.`,
    policy.maxTotalUsd === null
      ? 'Sets no limit to the total.'
      : `Pays at most $${policy.maxTotalUsd} in all, ever.`,
    `Pays USDC on ${list(policy.networks.map(nameNetwork))}${policy.assets.length === 0 ? '' : `, and ${list(policy.assets.map(({ name, network }) => `${name} on ${nameNetwork(network)}`))}`}.`,
    ...hosts(policy),
    policy.block.length === 0
      ? 'Refuses no verdict outright.'
      : `Refuses endpoints whose verdict is ${list(policy.block, 'or')}.`,
    {
      ask: 'Asks somebody before it pays an endpoint that calls for caution; silence is a no.',
      allow: 'Pays endpoints that call for caution without asking.',
      block: 'Refuses endpoints that call for caution.',
    }[policy.onCaution],
    `Pays up to $${onUnknown.allowUpToUsd} where little or nothing is known, up to $${onUnknown.liveCheckUpToUsd} after a live check, and no more than that.`,
    policy.onUnavailable === 'cached'
      ? 'While the service cannot be reached, goes by signed verdicts that have not run out, and refuses the rest.'
      : 'While the service cannot be reached, refuses everything.',
    `Signs nothing that stays valid for more than ${policy.maxAuthorizationSeconds} seconds.`,
    policy.allowInsecureHttp
      ? 'Pays over plain http too.'
      : 'Pays over https, and over plain http on this machine alone.',
    policy.pinReceivers
      ? 'Keeps to the receiver that was paid first at an endpoint, unless a stable verdict replaces it.'
      : 'Does not remember receivers.',
    `Stops paying an endpoint for ${policy.strikeSeconds} seconds after ${policy.maxStrikes + 1} paid ${policy.maxStrikes === 0 ? 'call' : 'calls'} without delivery.`,
    `Makes at most ${velocity.perHostPerMinute} payments to a host and ${velocity.identicalPerMinute} for the same call in a minute.`,
  ]
  if (policy.minScore > 0) lines.push(`Refuses endpoints whose trust score is below ${policy.minScore}.`)
  return lines
}

function hosts({ allowHosts, denyHosts, allowReceivers, denyReceivers }: Policy): string[] {
  const lines: string[] = []
  if (allowHosts.length > 0) lines.push(`Pays no hosts but ${list(allowHosts)}.`)
  if (denyHosts.length > 0) lines.push(`Never pays ${list(denyHosts, 'or')}.`)
  if (allowReceivers.length > 0) lines.push(`Pays no receivers but ${list(allowReceivers)}.`)
  if (denyReceivers.length > 0) lines.push(`Never pays the receivers ${list(denyReceivers, 'or')}.`)
  return lines
}

const nameNetwork = (caip2: string): string => findNetwork(caip2)?.label ?? caip2

function list(words: readonly string[], last = 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
