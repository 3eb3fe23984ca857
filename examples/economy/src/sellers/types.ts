import type { RequestListener } from 'node:http'
import type { Address } from 'viem'
import type { PastKind } from '../chain/history.ts'
import type { EconomyClock } from '../clock.ts'

/** What a seller is like, in one word or two. */
export type Character =
  | 'honest'
  | 'overpriced'
  | 'testnet'
  | 'dead'
  | 'no-terms'
  | 'swapped'
  | 'swap-now'
  | 'price-bait'
  | 'no-delivery'
  | 'cloaker'
  | 'never-paid'
  | 'fake-asset'
  | 'per-request'
  | 'announced'
  | 'opted-out'

/** A wallet of the test mnemonic by its address index (100 and up, used by one seller only), and its past. */
export type ReceiverSpec = { index: number; past: PastKind }

/** What a listing says beyond the seller's own data. */
type Claims = {
  /** Protocol version of the listed item. */
  version: 1 | 2
  /** Price in USD that the listing claims. @default the price that is charged */
  priceUsd?: string
  /** Network that the listing claims. @default 'base' */
  network?: 'base' | 'base-sepolia'
}

/** How the seller stands in the Bazaar. */
export type BazaarClaims = Claims & {
  /** Days before the start that the listing was last updated; 'always' keeps it fresh. @default 'always' */
  updatedDaysAgo?: number | 'always'
  /** Calls of the last 30 days as the directory counts them; the last one so many days before the clock's now. */
  calls?: { total: number; payers: number; lastDaysAgo: number }
}

/** How the seller stands in the 402 index. */
export type Index402Claims = Claims & {
  health?: 'healthy' | 'degraded' | 'down' | 'unknown'
  /** Whether the row names the HTTP method. @default true */
  withMethod?: boolean
}

/** What a seller's maker is given. */
export type SellerContext = {
  spec: SellerSpec
  /** Host with port, as in the Host header. */
  host: string
  /** The endpoint's full URL as listed. */
  url: string
  clock: EconomyClock
  /** Real time (ms since 1970) at which the economy started. */
  startedAt: number
  facilitatorUrl: string
  /** The seller's own receiver. */
  receiver: Address
  /** The receiver that it turns to, for characters that have a second one. */
  otherReceiver: Address
}

/** A seller at work. */
export type Seller = {
  handle: RequestListener
  /** Settles once it can sell; the start waits for it. @default at once */
  ready?: Promise<void>
  /** The receiver that it shows now (to a plain client). @default the receiver of the spec */
  receiver?(): Address
  /** Changes the receiver this instant and returns the new one. */
  swap?(): Address
}

/** A seller as data, with the one function that makes it work. */
export type SellerSpec = {
  /** Also its hostname: `<id>.localhost`. */
  id: string
  character: Character
  title: string
  category: string
  method: 'GET' | 'POST'
  /** The listed path. */
  path: string
  /** What it really charges, in USD. */
  priceUsd: string
  receiver: ReceiverSpec
  /** Address index of a second receiver, without a past. */
  otherReceiver?: number
  listing: { bazaar?: BazaarClaims; index402?: Index402Claims }
  /** What a guard with default policy should do in the end; `pays-once` means one payment, then refusal. */
  expected: { guard: 'pays' | 'pays-once' | 'refuses'; why: string }
  create(context: SellerContext): Seller
}
