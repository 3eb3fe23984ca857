import { findNetwork } from '@touchstone402/shared'
import type { Policy } from './policyTypes.ts'

/**
 * Describes a policy in plain sentences, one per line.
 * @example
 * console.log(explainPolicy(guard.policy).join('\n'))
 */
export function explainPolicy(policy: Policy): string[] {
  const { onUnknown, newSeller, velocity, allowHosts, denyHosts, allowReceivers, denyReceivers } = policy
  const { maxPerReceiverPerDayUsd, maxTotalUsd, assets, block, uptoFacilitators, maxStrikes } = policy
  const tokens = assets.map(({ name, network }) => `${name} on ${nameNetwork(network)}`)
  const lines = [
    `Pays at most $${policy.maxPerPaymentUsd} per payment, and $${policy.maxPerHostPerDayUsd} to one host and $${policy.maxPerDayUsd} in total in any 24 hours.`,
    maxPerReceiverPerDayUsd !== null &&
      `Pays at most $${maxPerReceiverPerDayUsd} to one receiver in any 24 hours.`,
    maxTotalUsd === null
      ? 'Has no lifetime limit.'
      : `Pays at most $${maxTotalUsd} over the lifetime of the ledger.`,
    `Pays USDC on ${list(policy.networks.map(nameNetwork))}${tokens.length === 0 ? '' : `, and ${list(tokens)}`}.`,
    allowHosts.length > 0 && `Pays only the hosts ${list(allowHosts)}.`,
    denyHosts.length > 0 && `Never pays the hosts ${list(denyHosts, 'or')}.`,
    allowReceivers.length > 0 && `Pays only the receivers ${list(allowReceivers)}.`,
    denyReceivers.length > 0 && `Never pays the receivers ${list(denyReceivers, 'or')}.`,
    block.length === 0
      ? 'Refuses no verdict without asking.'
      : `Refuses endpoints whose verdict is ${list(block, 'or')}.`,
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
    uptoFacilitators.length > 0 &&
      `Pays upto offers, whose amount is a ceiling, through the facilitators ${list(uptoFacilitators)}.`,
    policy.allowUpfrontUpToUsd !== null &&
      `Pays at most $${policy.allowUpfrontUpToUsd} for one call before it is delivered.`,
    policy.foreignCredentials !== 'allow' && 'Refuses requests that carry an L402 token.',
    `Signs no authorization that is valid for more than ${policy.maxAuthorizationSeconds} seconds.`,
    policy.allowInsecureHttp
      ? 'Pays over https and plain http.'
      : 'Pays over https, and over plain http on this machine only.',
    policy.pinReceivers
      ? 'Refuses a changed receiver unless the verdict calls the new one stable; asks without a service.'
      : 'Does not pin receivers.',
    `Stops paying an endpoint for minutes, then hours, and at most ${policy.strikeSeconds} seconds after ${maxStrikes + 1} paid ${maxStrikes === 0 ? 'call' : 'calls'} without delivery.`,
    `Makes at most ${velocity.perHostPerMinute} payments to a host and ${velocity.identicalPerMinute} for the same call in a minute.`,
    policy.requireDeliveryAboveUsd !== null &&
      `Pays more than $${policy.requireDeliveryAboveUsd} only where a test purchase of at least a third of the price was delivered.`,
    policy.minScore > 0 && `Refuses endpoints whose trust score is below ${policy.minScore}.`,
  ]
  return lines.filter((line) => line !== false)
}

const nameNetwork = (caip2: string): string => findNetwork(caip2)?.label ?? caip2

function list(words: readonly string[], last = 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
