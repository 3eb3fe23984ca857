import type { Policy } from '../decide/policyTypes.ts'

/** Description of each policy field, for the JSON Schema and docs/policy.md. */
export const POLICY_DOCS: Record<keyof Policy, string> = {
  maxPerPaymentUsd: 'Maximum dollars for one payment, as a decimal string.',
  maxPerHostPerDayUsd: 'Maximum dollars for one host in any 24 hours.',
  maxPerReceiverPerDayUsd:
    'Maximum dollars for one receiver in any 24 hours, over all hosts and networks; null means no limit.',
  maxPerDayUsd: 'Maximum dollars in any 24 hours, over all networks.',
  maxTotalUsd: "Maximum dollars over the ledger's lifetime; null means no limit.",
  networks: 'Allowed networks by CAIP-2 id. Payments use their canonical USDC.',
  assets: 'Dollar tokens besides USDC: network, address, EIP-712 name and version, decimals.',
  allowHosts: 'Allowed hosts; empty allows all. `*.example.com` covers subdomains.',
  denyHosts: 'Denied hosts.',
  allowReceivers: 'Allowed receivers; empty allows all.',
  denyReceivers: 'Denied receivers.',
  minScore: 'Minimum trust score, 0-100; above 0, endpoints without a score are refused.',
  block: 'Verdicts to refuse without asking: `avoid`, `caution`, `unknown`.',
  onCaution: 'Action on a `caution` verdict: `ask`, `allow` or `block`. `ask` without a handler refuses.',
  onUnknown:
    'Maximum amounts if the verdict is `unknown`, the receiver is new, or fewer than 3 probes support the verdict: `allowUpToUsd` at once, `liveCheckUpToUsd` after a live check, nothing above. Without a live check, all such payments together cost at most `maxPerDomainPerDayUsd` for one registrable domain and `maxPerDayUsd` in any 24 hours.',
  newSeller:
    'Without a service: what a new seller may take. A host is new until `deliveries` calls were delivered for payments to its receiver; hosts of `allowHosts` are not. A new host may take `perCallUsd` for one call and, with all hosts of its registrable domain, `perDayUsd` in any 24 hours; all new sellers together `allPerDayUsd`. With or without a service, a price above `priceFactor` times the median of what was paid there before needs approval.',
  onUnavailable:
    'While the service is unreachable: `cached` uses unexpired signed verdicts, `block` refuses all payments.',
  uptoFacilitators:
    'Facilitators whose `upto` offers are paid, by address; empty pays none. The amount of such an offer is a ceiling, which counts in full until the chain shows what was collected. Needs the option `upto` of the guard.',
  foreignCredentials:
    'Whether requests may carry L402 tokens, which move no money by themselves: `allow` passes them with an event, `refuse` refuses the request.',
  maxAuthorizationSeconds: 'Maximum lifetime of a payment authorization, 1-86400 seconds.',
  allowInsecureHttp: 'Allows plain http to other machines.',
  pinReceivers:
    'Refuses a changed receiver unless the verdict calls the new one stable; without a service it needs approval.',
  maxStrikes: 'Tolerated paid calls without delivery at one endpoint.',
  strikeSeconds:
    'Seconds for which a call without delivery counts, and the longest that it bars its endpoint: the first for 5 minutes, the second for 2 hours, later ones for a day.',
  velocity: 'Maximum payments in any 60 seconds, to one host and for identical calls.',
}
