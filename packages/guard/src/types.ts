/** 0x and hexadecimal digits. */
export type Hex = `0x${string}`

/** The subset of `fetch` that the guard wraps and calls. */
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

/** What the service signed about one endpoint; nothing else of its answer is used. */
export type CheckedVerdict = {
  iss: string
  /** Canonical URL: scheme, host, port and path. */
  endpoint: string
  verdict: 'safe' | 'caution' | 'avoid' | 'unknown'
  /** 0-100; absent where nothing could be measured. */
  score?: number | undefined
  riskLevel: 'clean' | 'low' | 'medium' | 'high'
  flags: string[]
  terms: CheckedTerm[]
  receiverStability: 'new' | 'stable' | 'changed' | null
  probes: number
  checkedAt: string | null
  expiresAt: string
  /** Grows with every decision on one endpoint. */
  seq: number
  scoreVersion: string
}

/** What is known about an endpoint when a decision is made. */
export type VerdictState =
  | { state: 'signed'; verdict: CheckedVerdict }
  /** No signed verdict could be had; `lastSeen` is the last one that was, however old. */
  | { state: 'unavailable'; detail: string; lastSeen: CheckedVerdict['verdict'] | null }

/** The EIP-712 domain under which an asset takes transfer authorizations. */
export type AssetDomain = { name: string; version: string; chainId: number; verifyingContract: string }

/** A payment that somebody is asked about, or that was decided on. Holds no text of the seller. */
export type PaymentIntent = {
  /** The full URL of the call. */
  url: string
  /** What is looked up, stored and signed: scheme, host, port and path. */
  endpoint: string
  host: string
  method: string
  /** CAIP-2. */
  network: string
  asset: string
  payTo: string
  /** Digits of the asset's smallest unit. */
  amountAtomic: string
  /** Decimal dollars, such as `0.01`. */
  amountUsd: string
  /** The longest lifetime that the authorization may have, in seconds. */
  maxTimeoutSeconds: number
}
