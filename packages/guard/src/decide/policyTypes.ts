/** A token besides USDC that may be paid with. It has to be worth one dollar. */
export type PolicyAsset = {
  /** CAIP-2, such as `eip155:8453`. */
  network: string
  address: string
  /** Name of the contract's EIP-712 domain. */
  name: string
  /** Version of the contract's EIP-712 domain. */
  version: string
  decimals: number
}

/** What a wallet may be used for. Plain data; amounts are dollars as decimal strings. */
export type Policy = {
  /** Dollars for one payment. @default '1.00' */
  maxPerPaymentUsd: string
  /** Dollars for one host in any 24 hours. @default '1.00' */
  maxPerHostPerDayUsd: string
  /** Dollars in any 24 hours, over all networks. @default '5.00' */
  maxPerDayUsd: string
  /** Dollars in the ledger's whole life; null is no limit. @default null */
  maxTotalUsd: string | null
  /** Networks by CAIP-2 id. @default ['eip155:8453'] */
  networks: string[]
  /** Dollar tokens besides the canonical USDC of the networks. @default [] */
  assets: PolicyAsset[]
  /** Only these hosts, if any are listed; `*.example.com` covers subdomains. @default [] */
  allowHosts: string[]
  /** Never these hosts. @default [] */
  denyHosts: string[]
  /** Only these receivers, if any are listed. @default [] */
  allowReceivers: string[]
  /** Never these receivers. @default [] */
  denyReceivers: string[]
  /** Lowest trust score that is paid, 0-100; above 0 an endpoint without score is refused. @default 0 */
  minScore: number
  /** Verdicts that are refused without asking. @default ['avoid'] */
  block: ('avoid' | 'caution' | 'unknown')[]
  /** What happens at `caution`; `ask` without a handler refuses. @default 'ask' */
  onCaution: 'ask' | 'allow' | 'block'
  /**
   * How much is paid without a full verdict: where it is `unknown`, where a `safe` receiver is new, or where
   * fewer than 3 probes stand behind it. Up to the second amount a live check is bought first; without one,
   * and above it, the payment is refused.
   * @default { allowUpToUsd: '0.01', liveCheckUpToUsd: '0.10' }
   */
  onUnknown: { allowUpToUsd: string; liveCheckUpToUsd: string }
  /** Whether an unexpired signed verdict of an earlier call will do while the service cannot be reached. @default 'cached' */
  onUnavailable: 'cached' | 'block'
  /** Longest lifetime of a payment authorization, in seconds. @default 600 */
  maxAuthorizationSeconds: number
  /** Whether plain http is paid outside of this machine. @default false */
  allowInsecureHttp: boolean
  /** Whether the first receiver paid at an endpoint is kept. @default true */
  pinReceivers: boolean
  /** Paid calls without delivery that an endpoint may have before the next one is refused. @default 0 */
  maxStrikes: number
  /** How long a call without delivery counts, in seconds. @default 86400 */
  strikeSeconds: number
  /** Payments in any 60 seconds. @default { perHostPerMinute: 30, identicalPerMinute: 20 } */
  velocity: { perHostPerMinute: number; identicalPerMinute: number }
}

/** A policy as it is written: what is left out has its safe default. */
export type PolicyInput = {
  [K in keyof Policy]?: Policy[K] extends unknown[]
    ? Policy[K]
    : Policy[K] extends object
      ? Partial<Policy[K]>
      : Policy[K]
}
