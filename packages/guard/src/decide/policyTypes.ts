/** A token besides USDC to pay with. It must be worth one dollar. */
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

/** Greatest `priceFactor` that a policy may set. */
export const MAX_PRICE_FACTOR = 1000

/** Greatest `maxAuthorizationSeconds` that a policy may set. */
export const MAX_AUTHORIZATION_SECONDS = 86_400

/**
 * Limits of one host, in place of those of all hosts. An omitted field leaves the general limit.
 * @example
 * const limits: HostLimits = { maxPerPaymentUsd: '0.50', askAboveUsd: '0.10' }
 */
export type HostLimits = {
  /** Maximum dollars for one payment. */
  maxPerPaymentUsd?: string | undefined
  /** Maximum dollars in any 24 hours, for all hosts of the entry together. */
  maxPerDayUsd?: string | undefined
  /** A price above so many times the usual one needs approval. */
  priceFactor?: number | undefined
  /** A payment above so many dollars needs approval. */
  askAboveUsd?: string | undefined
}

/**
 * Spending rules of a wallet, as plain data; amounts are dollars as decimal strings.
 * @example
 * const { maxPerDayUsd }: Policy = guard.policy
 */
export type Policy = {
  /** Maximum dollars for one payment. @default '1.00' */
  maxPerPaymentUsd: string
  /** Maximum dollars for one host in any 24 hours. @default '1.00' */
  maxPerHostPerDayUsd: string
  /** Maximum dollars for one receiver in any 24 hours, over all hosts and networks; null means no limit. @default null */
  maxPerReceiverPerDayUsd: string | null
  /** Maximum dollars in any 24 hours, over all networks. @default '5.00' */
  maxPerDayUsd: string
  /** Maximum dollars over the ledger's lifetime; null means no limit. @default null */
  maxTotalUsd: string | null
  /**
   * A payment of more dollars needs the approval of a person, up to `maxPerPaymentUsd`; null asks about no amount. Who
   * approves a new seller's payment approves it above the limits of `newSeller` too. @default null
   */
  askAboveUsd: string | null
  /**
   * Limits of single hosts, by host or by `*.example.com` for its subdomains, which share one daily sum. The narrowest
   * entry holds. An entry raises or lowers the limits for one payment and for the day of its hosts, and lifts those of
   * `newSeller`; all other limits and the lists of denied hosts hold as before. It denies no other host. @default {}
   */
  hosts: Record<string, HostLimits>
  /** Networks by CAIP-2 id. @default ['eip155:8453'] */
  networks: string[]
  /** Dollar tokens besides the canonical USDC of the networks. @default [] */
  assets: PolicyAsset[]
  /** Allowed hosts; empty allows all. `*.example.com` covers subdomains. @default [] */
  allowHosts: string[]
  /** Denied hosts. @default [] */
  denyHosts: string[]
  /** Allowed receivers; empty allows all. @default [] */
  allowReceivers: string[]
  /** Denied receivers. @default [] */
  denyReceivers: string[]
  /** Minimum trust score, 0-100; above 0, endpoints without a score are refused. @default 0 */
  minScore: number
  /**
   * Dollars above which a payment needs a test purchase of the service that was delivered, for at least a third of its
   * price; null needs none. Without a service, or with a verdict that says nothing of deliveries, such payments are
   * refused. @default null
   */
  requireDeliveryAboveUsd: string | null
  /** Verdicts to refuse without asking. @default ['avoid'] */
  block: ('avoid' | 'caution' | 'unknown')[]
  /** Action on a `caution` verdict; `ask` without a handler refuses. @default 'ask' */
  onCaution: 'ask' | 'allow' | 'block'
  /**
   * Limits where a verdict is not full: it is `unknown`, its receiver is new, or fewer than 3 probes support it.
   * Prices up to `allowUpToUsd` are paid. Prices up to `liveCheckUpToUsd` are paid if a live check says safe. More is
   * refused, as is a price that needs a live check that cannot be bought.
   * Payments without a live check may take `maxPerDomainPerDayUsd` for one registrable domain (`example.com` with its
   * subdomains) and `maxPerDayUsd` in all, in any 24 hours.
   * @default { allowUpToUsd: '0.01', liveCheckUpToUsd: '0.10', maxPerDomainPerDayUsd: '0.10', maxPerDayUsd: '0.50' }
   */
  onUnknown: {
    allowUpToUsd: string
    liveCheckUpToUsd: string
    maxPerDomainPerDayUsd: string
    maxPerDayUsd: string
  }
  /**
   * Without a service, a seller is new until its host has delivered `deliveries` calls that were paid to the same
   * receiver. Hosts of `allowHosts` and `hosts` are never new.
   * A new seller may take `perCallUsd` for one call. Its registrable domain may take `perDayUsd` in any 24 hours, and all
   * new sellers together `allPerDayUsd`.
   * With or without a service, a price needs approval above `priceFactor` times the median of what was paid at the
   * endpoint. Without a service, the first call to another endpoint of the host may cost `perCallUsd`, or `priceFactor`
   * times the dearest call that was delivered there, whichever is more.
   * @default { perCallUsd: '0.10', perDayUsd: '0.50', allPerDayUsd: '1.00', deliveries: 3, priceFactor: 3 }
   */
  newSeller: {
    perCallUsd: string
    perDayUsd: string
    allPerDayUsd: string
    deliveries: number
    priceFactor: number
  }
  /** `cached` uses unexpired signed verdicts while the service is unreachable; `block` refuses. @default 'cached' */
  onUnavailable: 'cached' | 'block'
  /**
   * Facilitators whose `upto` offers are paid, by address. The signed amount is a ceiling, and counts in full until the
   * chain shows what was collected. Empty pays none; others need the guard's option `upto`. @default []
   */
  uptoFacilitators: string[]
  /**
   * Maximum dollars for one `exact` payment of the flow `upfront`, which settles before the seller delivers; null pays
   * none. Offers that settle after delivery are preferred. @default null
   */
  allowUpfrontUpToUsd: string | null
  /** Whether requests may carry L402 tokens, which the guard cannot judge. @default 'allow' */
  foreignCredentials: 'allow' | 'refuse'
  /** Maximum lifetime of a payment authorization in seconds. @default 600 */
  maxAuthorizationSeconds: number
  /** Allows plain http to other machines. @default false */
  allowInsecureHttp: boolean
  /** Pins the first receiver paid at an endpoint. @default true */
  pinReceivers: boolean
  /** Tolerated paid calls without delivery at one endpoint. @default 0 */
  maxStrikes: number
  /**
   * Seconds for which a call without delivery counts, and the longest that it bars its endpoint: the first for 5 minutes,
   * the second for 2 hours, later ones for a day. @default 86400
   */
  strikeSeconds: number
  /** Maximum payments in any 60 seconds. @default { perHostPerMinute: 30, identicalPerMinute: 20 } */
  velocity: { perHostPerMinute: number; identicalPerMinute: number }
}

/**
 * A policy as written; omitted fields have safe defaults.
 * @example
 * const policy: PolicyInput = { maxPerDayUsd: '2.00', allowHosts: ['api.example.com'] }
 */
export type PolicyInput = {
  [K in keyof Policy]?: Policy[K] extends unknown[] | Record<string, HostLimits>
    ? Policy[K]
    : Policy[K] extends object
      ? Partial<Policy[K]>
      : Policy[K]
}
