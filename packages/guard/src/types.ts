/** Hexadecimal string with prefix 0x. */
export type Hex = `0x${string}`

/**
 * The subset of `fetch` that the guard wraps and calls.
 * @example
 * const logged: FetchLike = (input, init) => (console.log(String(input)), fetch(input, init))
 */
export type FetchLike = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>

/** Terms that the service measured at an endpoint. */
export type CheckedTerm = {
  x402Version: 1 | 2
  scheme: string
  network: string
  asset: string
  payTo: string
  amountAtomicMin: string
  amountAtomicMax: string
  method: string
}

/**
 * The signed part of a verdict. The guard uses no other field of the answer.
 * @example
 * const receivers = (verdict: CheckedVerdict) => verdict.terms.map(({ payTo }) => payTo)
 */
export type CheckedVerdict = {
  iss: string
  /** Canonical URL: scheme, host, port and path. */
  endpoint: string
  verdict: 'safe' | 'caution' | 'avoid' | 'unknown'
  /** 0-100; absent if nothing was measured. */
  score?: number | undefined
  /** `unknown` without flags and without a current measurement. */
  riskLevel: 'clean' | 'low' | 'medium' | 'high' | 'unknown'
  flags: string[]
  terms: CheckedTerm[]
  /** Hosts of the same site, or whose URL redirects to the endpoint, that the resource of a challenge may name. */
  resourceHosts?: string[] | undefined
  receiverStability: 'new' | 'stable' | 'changed' | null
  probes: number
  checkedAt: string | null
  expiresAt: string
  /** Increases with each decision on one endpoint. */
  seq: number
  scoreVersion: string
}

/**
 * A verified verdict, or the reason why there is none.
 * @example
 * const state: VerdictState = await guard.verdict('https://api.example.com/weather')
 * if (state.state === 'signed') console.log(state.verdict.score)
 */
export type VerdictState =
  | { state: 'signed'; verdict: CheckedVerdict }
  /** `lastSeen` is the last signed verdict, expired or not. */
  | { state: 'unavailable'; detail: string; lastSeen: CheckedVerdict['verdict'] | null }

/** EIP-712 domain of an asset that accepts transfer authorizations. */
export type AssetDomain = { name: string; version: string; chainId: number; verifyingContract: string }

/**
 * A prospective or decided payment. Contains no text of the seller.
 * @example
 * const describe = ({ amountUsd, payTo, host }: PaymentIntent) => `$${amountUsd} to ${payTo} for ${host}`
 */
export type PaymentIntent = {
  /** URL of the call, with a hash in place of the query unless the guard has `keepUrls`. */
  url: string
  /** Canonical URL: scheme, host, port and path. Used for look-ups, the ledger and verdicts. */
  endpoint: string
  host: string
  method: string
  /** CAIP-2. */
  network: string
  asset: string
  payTo: string
  /** Amount in the asset's smallest unit. */
  amountAtomic: string
  /** Decimal dollars, such as `0.01`. */
  amountUsd: string
  /** Maximum lifetime of the authorization in seconds. */
  maxTimeoutSeconds: number
}
