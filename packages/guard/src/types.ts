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
 * Outcome of the service's test purchases at an endpoint.
 * @example
 * const isDelivered = ({ status }: CheckedDelivery) => status === 'delivered'
 */
export type CheckedDelivery = {
  /** `delivered`, `never_bought`, `cannot_be_bought` or `failed`; later versions may add others. */
  status: string
  /** Month of the last purchase that is shown, `YYYY-MM`. */
  month: string | null
  /** Dollars paid for what was delivered. */
  paidUsd: number | null
  /** Code of the reason for which it cannot be bought now; a map does not state it. */
  reason: string | null
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
  /** Outcome of the service's test purchases. Absent in verdicts from before score 1.3.0. */
  delivery?: CheckedDelivery | undefined
  checkedAt: string | null
  expiresAt: string
  /** Unix time of the decision in ms. Increases with each decision on one endpoint. */
  seq: number
  scoreVersion: string
}

/**
 * Checks proofs that the log of the service holds a leaf; made by `createLogCheck` of `@touchstone402/guard/log`.
 * @example
 * const trusting: LogCheck = { verifyKey: async () => true, verifyMap: async () => true }
 */
export type LogCheck = {
  /** Whether a checkpoint covers the leaf that a key begins to sign. @param thumbprint RFC 7638, base64url */
  verifyKey(thumbprint: string, proof: string | undefined): Promise<boolean>
  /** Whether a checkpoint covers the leaf of a version of the map. */
  verifyMap(proof: string | undefined, map: { version: number; sha256: string }): Promise<boolean>
}

/**
 * A verified verdict, or the reason why there is none.
 * @example
 * const state: VerdictState = await guard.verdict('https://api.example.com/weather')
 * if (state.state === 'signed') console.log(state.verdict.score)
 */
export type VerdictState =
  | { state: 'signed'; verdict: CheckedVerdict }
  /** `lastSeen` is the last signed verdict, expired or not; `avoid` if its risk was high. */
  | { state: 'unavailable'; detail: string; lastSeen: CheckedVerdict['verdict'] | null; remedy?: string }

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
  /** With `upto` the amounts are ceilings: the seller collects at most as much. */
  scheme: 'exact' | 'upto'
  /** Who may collect an `upto` payment; null for `exact`. */
  facilitator: string | null
  /** Amount in the asset's smallest unit. */
  amountAtomic: string
  /** Decimal dollars, such as `0.01`. */
  amountUsd: string
  /** Maximum lifetime of the authorization in seconds. */
  maxTimeoutSeconds: number
}

/**
 * The seller's signature over offered terms, from the x402 extension offer-receipt.
 * @example
 * const isProof = ({ signedBy }: OfferProof) => signedBy === 'receiver'
 */
export type OfferProof = {
  /**
   * `key`: a JWS that verifies by the key that it states, which nothing binds to the receiver. `other` proves nothing by
   * itself: the key is not that of the receiver or is not looked up (did:web), or the signature is not of these terms.
   */
  signedBy: 'receiver' | 'key' | 'other'
  /** The signed URL, with a hash in place of the query unless the guard has `keepUrls`. */
  resourceUrl: string
  /** Unix time in seconds; 0 means no end. */
  validUntil: number
  /** Hexadecimal, or a compact JWS, whose payload is left out where it would show a query: `header..signature`. */
  signature: string
}

/**
 * A signed receipt of a payment, from the x402 extension offer-receipt.
 * @example
 * const describe = ({ payer, issuedAt }: PaymentReceipt) => `${payer} ${new Date(issuedAt * 1000).toISOString()}`
 */
export type PaymentReceipt = {
  /** As in {@link OfferProof}. */
  signedBy: 'receiver' | 'key'
  /** CAIP-2. */
  network: string
  /** The signed URL, with a hash in place of the query unless the guard has `keepUrls`. */
  resourceUrl: string
  payer: string
  /** Unix time in seconds. */
  issuedAt: number
  /** Hash of the settlement transaction; empty if the seller leaves it out. */
  transaction: string
  /** As in {@link OfferProof}. */
  signature: string
}
