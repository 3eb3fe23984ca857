import { findNetwork } from '@touchstone402/shared'
import { formatUsd } from '../formatUsd.ts'
import type { HostLimits, Policy } from './policySchema.ts'

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
    `Pays at most ${formatUsd(policy.maxPerPaymentUsd)} per payment, and ${formatUsd(policy.maxPerHostPerDayUsd)} to one host and ${formatUsd(policy.maxPerDayUsd)} in total in any 24 hours.`,
    maxPerReceiverPerDayUsd !== null &&
      `Pays at most ${formatUsd(maxPerReceiverPerDayUsd)} to one receiver in any 24 hours.`,
    policy.askAboveUsd !== null && `Asks before it pays more than ${formatUsd(policy.askAboveUsd)} at once.`,
    ...Object.entries(policy.hosts).map(explainHost),
    maxTotalUsd === null
      ? 'Has no lifetime limit.'
      : `Pays at most ${formatUsd(maxTotalUsd)} over the lifetime of the ledger.`,
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
    `Pays endpoints with little or no evidence up to ${formatUsd(onUnknown.allowUpToUsd)}, and up to ${formatUsd(onUnknown.liveCheckUpToUsd)} after a live check.`,
    `Pays such endpoints without a live check at most ${formatUsd(onUnknown.maxPerDomainPerDayUsd)} for one domain and ${formatUsd(onUnknown.maxPerDayUsd)} in total in any 24 hours.`,
    `Without a service, pays a new seller at most ${formatUsd(newSeller.perCallUsd)} for one call and ${formatUsd(newSeller.perDayUsd)} for one domain, and all new sellers ${formatUsd(newSeller.allPerDayUsd)}, in any 24 hours, until it has delivered ${newSeller.deliveries} calls.`,
    `Asks before it pays more than ${newSeller.priceFactor} times what was usual at an endpoint.`,
    policy.onUnavailable === 'cached'
      ? 'While the service is unreachable, uses unexpired signed verdicts and refuses all other payments.'
      : 'While the service is unreachable, refuses all payments.',
    uptoFacilitators.length > 0 &&
      `Pays upto offers, whose amount is a ceiling, through the facilitators ${list(uptoFacilitators)}.`,
    policy.allowUpfrontUpToUsd !== null &&
      `Pays at most ${formatUsd(policy.allowUpfrontUpToUsd)} for one call before it is delivered.`,
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
      `Pays more than ${formatUsd(policy.requireDeliveryAboveUsd)} only where a test purchase of at least a third of the price was delivered.`,
    policy.minScore > 0 && `Refuses endpoints whose trust score is below ${policy.minScore}.`,
  ]
  return lines.filter((line) => line !== false)
}

function explainHost([entry, limits]: [string, HostLimits]): string {
  const { maxPerPaymentUsd, maxPerDayUsd, priceFactor, askAboveUsd } = limits
  const terms = [
    maxPerPaymentUsd !== undefined && `at most ${formatUsd(maxPerPaymentUsd)} per payment`,
    maxPerDayUsd !== undefined && `at most ${formatUsd(maxPerDayUsd)} in any 24 hours`,
    priceFactor !== undefined && `up to ${priceFactor} times the usual price`,
    askAboveUsd !== undefined && `above ${formatUsd(askAboveUsd)} with approval`,
  ].filter((term) => term !== false)
  return `Pays ${entry}${terms.length === 0 ? '' : ` ${list(terms)}`}, and not as a new seller.`
}

const nameNetwork = (caip2: string): string => findNetwork(caip2)?.label ?? caip2

function list(words: readonly string[], last = 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
