import type { RequestListener } from 'node:http'
import type { Address } from 'viem'
import type { PastKind } from '../chain/history.ts'
import type { EconomyClock } from '../clock.ts'

/** Character of a seller. */
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

/** A wallet of the test mnemonic by address index (100 and up, one seller each), and its history. */
export type ReceiverSpec = { index: number; past: PastKind }

/** Listing data that differs from the seller's own. */
type Claims = {
  /** Protocol version of the listed item. */
  version: 1 | 2
  /** Listed price in USD. @default the charged price */
  priceUsd?: string
  /** Listed network. @default 'base' */
  network?: 'base' | 'base-sepolia'
}

/** The seller's listing in the Bazaar. */
export type BazaarClaims = Claims & {
  /** Days from the last update of the listing to the start. 'always' keeps it fresh. @default 'always' */
  updatedDaysAgo?: number | 'always'
  /** Calls in the last 30 days, and days since the last one, as the directory reports them. */
  calls?: { total: number; payers: number; lastDaysAgo: number }
}

/** The seller's listing in the 402 index. */
export type Index402Claims = Claims & {
  health?: 'healthy' | 'degraded' | 'down' | 'unknown'
  /** Whether the row names the HTTP method. @default true */
  withMethod?: boolean
}

/** Arguments of `SellerSpec.create`. */
export type SellerContext = {
  spec: SellerSpec
  /** Host with port, as in the Host header. */
  host: string
  /** The endpoint's full URL as listed. */
  url: string
  clock: EconomyClock
  /** Real Unix time in ms at which the economy started. */
  startedAt: number
  facilitatorUrl: string
  /** The seller's own receiver. */
  receiver: Address
  /** The second receiver of sellers that have one. */
  otherReceiver: Address
}

/** A running seller. */
export type Seller = {
  handle: RequestListener
  /** Resolves once it can sell. @default immediately */
  ready?: Promise<void>
  /** Its current receiver, as a plain client sees it. @default the receiver of the spec */
  receiver?(): Address
  /** Changes the receiver and returns the new one. */
  swap?(): Address
}

/** A seller: its data, and the function that creates its handler. */
export type SellerSpec = {
  id: string
  /** Its hostname below `localhost`, where sellers have names. @default the id */
  name?: string
  character: Character
  title: string
  category: string
  method: 'GET' | 'POST'
  /** The listed path. */
  path: string
  /** Charged price in USD. */
  priceUsd: string
  receiver: ReceiverSpec
  /** Address index of a second receiver, without history. */
  otherReceiver?: number
  listing: { bazaar?: BazaarClaims; index402?: Index402Claims }
  /** Expected decision of a guard with the default policy, if the service makes test purchases. */
  expected: { guard: 'pays' | 'refuses'; why: string }
  /** Whether the host names the endpoint in its `/.well-known/x402`, so that the service may buy from it. @default false */
  declares?: boolean
  create(context: SellerContext): Seller
}
