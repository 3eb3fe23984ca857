import { findNetwork } from '@touchstone402/shared'
import { formatUsd } from '../formatUsd.ts'
import type { HostLimits, Policy } from './policySchema.ts'

/** The sentences of a field; false or none where there is nothing to say. */
type Explain = (policy: Policy) => string | false | string[]

/** For a field that the sentence of another one names. */
const ELSEWHERE: Explain = () => false

/** Sentence of each field, in the order of the explanation. */
const SENTENCES: Readonly<Record<keyof Policy, Explain>> = {
  maxPerPaymentUsd: ({ maxPerPaymentUsd, maxPerHostPerDayUsd, maxPerDayUsd }) =>
    `Pays at most ${formatUsd(maxPerPaymentUsd)} per payment, and ${formatUsd(maxPerHostPerDayUsd)} to one host and ${formatUsd(maxPerDayUsd)} in total in any 24 hours.`,
  maxPerHostPerDayUsd: ELSEWHERE,
  maxPerDayUsd: ELSEWHERE,
  maxPerReceiverPerDayUsd: ({ maxPerReceiverPerDayUsd: most }) =>
    most !== null && `Pays at most ${formatUsd(most)} to one receiver in any 24 hours.`,
  askAboveUsd: ({ askAboveUsd }) =>
    askAboveUsd !== null && `Asks before it pays more than ${formatUsd(askAboveUsd)} at once.`,
  hosts: ({ hosts }) => Object.entries(hosts).map(explainHost),
  maxTotalUsd: ({ maxTotalUsd }) =>
    maxTotalUsd === null
      ? 'Has no lifetime limit.'
      : `Pays at most ${formatUsd(maxTotalUsd)} over the lifetime of the ledger.`,
  networks({ networks, assets }) {
    const tokens = assets.map(({ name, network }) => `${name} on ${nameNetwork(network)}`)
    return `Pays USDC on ${list(networks.map(nameNetwork))}${tokens.length === 0 ? '' : `, and ${list(tokens)}`}.`
  },
  assets: ELSEWHERE,
  allowHosts: ({ allowHosts }) => allowHosts.length > 0 && `Pays only the hosts ${list(allowHosts)}.`,
  denyHosts: ({ denyHosts }) => denyHosts.length > 0 && `Never pays the hosts ${list(denyHosts, 'or')}.`,
  allowReceivers: ({ allowReceivers }) =>
    allowReceivers.length > 0 && `Pays only the receivers ${list(allowReceivers)}.`,
  denyReceivers: ({ denyReceivers }) =>
    denyReceivers.length > 0 && `Never pays the receivers ${list(denyReceivers, 'or')}.`,
  block: ({ block }) =>
    block.length === 0
      ? 'Refuses no verdict without asking.'
      : `Refuses endpoints whose verdict is ${list(block, 'or')}.`,
  onCaution: ({ onCaution }) =>
    ({
      ask: 'Asks before it pays an endpoint whose verdict is caution; no answer refuses the payment.',
      allow: 'Pays endpoints whose verdict is caution without asking.',
      block: 'Refuses endpoints whose verdict is caution.',
    })[onCaution],
  onUnknown: ({ onUnknown }) => [
    `Pays endpoints with little or no evidence up to ${formatUsd(onUnknown.allowUpToUsd)}, and up to ${formatUsd(onUnknown.liveCheckUpToUsd)} after a live check.`,
    `Pays such endpoints without a live check at most ${formatUsd(onUnknown.maxPerDomainPerDayUsd)} for one domain and ${formatUsd(onUnknown.maxPerDayUsd)} in total in any 24 hours.`,
  ],
  newSeller: ({ newSeller }) => [
    `Without a service, pays a new seller at most ${formatUsd(newSeller.perCallUsd)} for one call and ${formatUsd(newSeller.perDayUsd)} for one domain, and all new sellers ${formatUsd(newSeller.allPerDayUsd)}, in any 24 hours, until it has delivered ${newSeller.deliveries} calls.`,
    `Asks before it pays more than ${newSeller.priceFactor} times what was usual at an endpoint.`,
  ],
  onUnavailable: ({ onUnavailable }) =>
    onUnavailable === 'cached'
      ? 'While the service is unreachable, uses unexpired signed verdicts and refuses all other payments.'
      : 'While the service is unreachable, refuses all payments.',
  uptoFacilitators: ({ uptoFacilitators }) =>
    uptoFacilitators.length > 0 &&
    `Pays upto offers, whose amount is a ceiling, through the facilitators ${list(uptoFacilitators)}.`,
  allowUpfrontUpToUsd: ({ allowUpfrontUpToUsd: most }) =>
    most !== null && `Pays at most ${formatUsd(most)} for one call before it is delivered.`,
  foreignCredentials: ({ foreignCredentials }) =>
    foreignCredentials !== 'allow' && 'Refuses requests that carry an L402 token.',
  maxAuthorizationSeconds: ({ maxAuthorizationSeconds }) =>
    `Signs no authorization that is valid for more than ${maxAuthorizationSeconds} seconds.`,
  allowInsecureHttp: ({ allowInsecureHttp }) =>
    allowInsecureHttp
      ? 'Pays over https and plain http.'
      : 'Pays over https, and over plain http on this machine only.',
  pinReceivers: ({ pinReceivers }) =>
    pinReceivers
      ? 'Refuses a changed receiver unless the verdict calls the new one stable; asks without a service.'
      : 'Does not pin receivers.',
  maxStrikes: ({ maxStrikes, strikeSeconds }) =>
    `Stops paying an endpoint for minutes, then hours, and at most ${strikeSeconds} seconds after ${maxStrikes + 1} paid ${maxStrikes === 0 ? 'call' : 'calls'} without delivery.`,
  strikeSeconds: ELSEWHERE,
  velocity: ({ velocity }) =>
    `Makes at most ${velocity.perHostPerMinute} payments to a host and ${velocity.identicalPerMinute} for the same call in a minute.`,
  requireDeliveryAboveUsd: ({ requireDeliveryAboveUsd: above }) =>
    above !== null &&
    `Pays more than ${formatUsd(above)} only where a test purchase of at least a third of the price was delivered.`,
  minScore: ({ minScore }) => minScore > 0 && `Refuses endpoints whose trust score is below ${minScore}.`,
}

/**
 * Describes a policy in plain sentences, one per line.
 * @example
 * console.log(explainPolicy(guard.policy).join('\n'))
 */
export function explainPolicy(policy: Policy): string[] {
  return Object.values(SENTENCES).flatMap((explain) => explain(policy) || [])
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
