import type { Policy } from '../decide/policyTypes.ts'

/** What each field of a policy means, for the JSON Schema and the reference in the README. */
export const POLICY_DOCS: Record<keyof Policy, string> = {
  maxPerPaymentUsd: 'Dollars for one payment, as a decimal string.',
  maxPerHostPerDayUsd: 'Dollars for one host in any 24 hours.',
  maxPerDayUsd: 'Dollars in any 24 hours, over all networks.',
  maxTotalUsd: "Dollars in the ledger's whole life; null is no limit.",
  networks: 'Networks by CAIP-2 id. Their canonical USDC is what is paid with.',
  assets: 'Dollar tokens besides USDC: network, address, EIP-712 name and version, decimals.',
  allowHosts: 'Only these hosts, if any are listed; `*.example.com` covers subdomains.',
  denyHosts: 'Never these hosts.',
  allowReceivers: 'Only these receivers, if any are listed.',
  denyReceivers: 'Never these receivers.',
  minScore: 'Lowest trust score that is paid, 0-100; above 0 an endpoint without score is refused.',
  block: 'Verdicts that are refused without asking: `avoid`, `caution`, `unknown`.',
  onCaution: 'What happens at `caution`: `ask`, `allow` or `block`. Asking without a handler refuses.',
  onUnknown:
    'How much is paid where the verdict is `unknown`, the receiver new, or fewer than 3 probes stand behind it: up to `allowUpToUsd` at once, up to `liveCheckUpToUsd` after a live check, above it nothing.',
  onUnavailable:
    'While the service cannot be reached: `cached` goes by signed verdicts that have not run out, `block` refuses everything.',
  maxAuthorizationSeconds: 'Longest lifetime of a payment authorization, 1-86400 seconds.',
  allowInsecureHttp: 'Whether plain http is paid outside of this machine.',
  pinReceivers:
    'Whether the receiver that was paid first at an endpoint is kept, unless a stable verdict replaces it.',
  maxStrikes: 'Paid calls without delivery that an endpoint may have before the next one is refused.',
  strikeSeconds: 'How long a call without delivery counts, in seconds.',
  velocity: 'Payments in any 60 seconds, to one host and for one and the same call.',
}
