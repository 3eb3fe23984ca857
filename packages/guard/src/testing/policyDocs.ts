import type { Policy } from '../decide/policyTypes.ts'

/** Description of each policy field, for the JSON Schema and docs/policy.md. */
export const POLICY_DOCS: Record<keyof Policy, string> = {
  maxPerPaymentUsd: 'Maximum dollars for one payment, as a decimal string.',
  maxPerHostPerDayUsd: 'Maximum dollars for one host in any 24 hours.',
  maxPerReceiverPerDayUsd:
    'Maximum dollars for one receiver in any 24 hours, over all hosts and networks; null means no limit.',
  maxPerDayUsd: 'Maximum dollars in any 24 hours, over all networks.',
  maxTotalUsd: "Maximum dollars over the ledger's lifetime; null means no limit.",
  askAboveUsd:
    'Dollars above which a payment needs the approval of a person, up to `maxPerPaymentUsd`; null asks about no amount. Approval lifts the limits of `newSeller` too.',
  hosts:
    'Limits of single hosts, see [Limits of one host](#limits-of-one-host): `maxPerPaymentUsd`, `maxPerDayUsd`, `priceFactor` and `askAboveUsd` by host or `*.example.com`.',
  networks: 'Allowed networks by CAIP-2 id. Payments use their canonical USDC.',
  assets: 'Dollar tokens besides USDC: network, address, EIP-712 name and version, decimals.',
  allowHosts: 'Allowed hosts; empty allows all. `*.example.com` covers subdomains.',
  denyHosts: 'Denied hosts.',
  allowReceivers: 'Allowed receivers; empty allows all.',
  denyReceivers: 'Denied receivers.',
  minScore: 'Minimum trust score, 0-100; above 0, endpoints without a score are refused.',
  requireDeliveryAboveUsd:
    'Dollars above which a payment needs a delivered test purchase of the service, for at least a third of its price; refused without a service and with an older verdict, which state none. `null` needs none.',
  block: 'Verdicts to refuse without asking: `avoid`, `caution`, `unknown`.',
  onCaution: 'Action on a `caution` verdict: `ask`, `allow` or `block`. `ask` without a handler refuses.',
  onUnknown:
    'With a service: limits where its evidence is thin, see [Without a full verdict](#without-a-full-verdict).',
  newSeller:
    'Limits of a seller without a track record, see [New sellers](#new-sellers): `perCallUsd` for one call, `perDayUsd` for its registrable domain and `allPerDayUsd` for all of them in any 24 hours. It is new until `deliveries` calls were delivered. A price above `priceFactor` times the usual one needs approval.',
  onUnavailable:
    'While the service is unreachable: `cached` uses unexpired signed verdicts, `block` refuses all payments.',
  uptoFacilitators:
    'Addresses of facilitators whose `upto` offers are paid; empty pays none. The ceiling counts in full until the chain shows what was collected. Needs the option `upto` of the guard.',
  allowUpfrontUpToUsd:
    'Maximum dollars for one payment of the flow `upfront`, which settles before the seller delivers; null pays none. Offers that settle after delivery are preferred.',
  foreignCredentials:
    'Requests that carry an L402 token, which moves no money by itself: `allow` passes them with an event, `refuse` refuses them.',
  maxAuthorizationSeconds: 'Maximum lifetime of a payment authorization, 1-86400 seconds.',
  allowInsecureHttp: 'Allows plain http to other machines.',
  pinReceivers:
    'Refuses a changed receiver unless the verdict calls the new one stable; without a service it needs approval.',
  maxStrikes: 'Tolerated paid calls without delivery at one endpoint.',
  strikeSeconds:
    'Seconds for which a call without delivery counts. The first bars its endpoint for 5 minutes, the second for 2 hours, later ones for a day, at most for this long.',
  velocity: 'Maximum payments in any 60 seconds, to one host and for identical calls.',
}
