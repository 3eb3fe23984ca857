import type { LookupFunction } from 'node:net'
import type { Address } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Chain } from './chain/startChain.ts'
import type { EconomyClock } from './clock.ts'
import type { FacilitatorFaults } from './facilitator.ts'
import type { SellerSpec } from './sellers/types.ts'

/** How the economy starts. */
export type StartOptions = {
  /** Called with one plain line for each thing that has come up. */
  onProgress?(line: string): void
  /** The sellers to open. @default all of them */
  sellers?: readonly SellerSpec[]
  /** Blocks of transfers in the chain's past, at least 90. @default 240 */
  historyBlocks?: number
  /** Whether the audit's clock starts three days ago and runs fast. @default 'fast' */
  clock?: 'fast' | 'real'
}

/** A seller that is open. */
export type SellerHandle = {
  id: string
  spec: SellerSpec
  /** Host with port: `honest-v2.localhost:43210`. */
  host: string
  /** The endpoint's full URL as listed. */
  url: string
  method: 'GET' | 'POST'
  /** The receiver that it shows now. */
  readonly receiver: Address
  /** Requests that reached its host. */
  readonly hits: number
  /** Answers that carried a settlement. */
  readonly paid: number
  /** Changes the receiver this instant and returns the new one; only on characters that do so. */
  swap?(): Address
}

/** The running economy. */
export type Economy = {
  /** Base on this machine. It carries Base's chain id and nobody's money. */
  chain: Omit<Chain, 'stop'>
  facilitator: {
    /** Base of POST /verify, POST /settle, GET /supported and GET /discovery/resources. */
    url: string
    /** Set a field to make settlements fail. */
    faults: FacilitatorFaults
  }
  directories: {
    /** Base whose `/discovery/resources` answers in the Bazaar's format. */
    bazaarUrl: string
    /** Base whose `/api/v1/services` answers in the 402 index's format. */
    index402Url: string
  }
  clock: EconomyClock
  /** Resolves `*.localhost` to 127.0.0.1. */
  lookup: LookupFunction
  /** Addresses that an address guard has to be told to allow. */
  allowedAddresses: readonly string[]
  /** Every origin that is open here. */
  allowedOrigins: readonly string[]
  /** The one port that all sellers share. */
  port: number
  /** A fetch that knows the economy's names. */
  fetch: typeof fetch
  /** Keys of the well-known test mnemonic, funded with USDC except for the service's. */
  wallets: {
    bots: readonly PrivateKeyAccount[]
    /** Receives what the service earns; starts with nothing. */
    service: PrivateKeyAccount
    /** Pays for test purchases. */
    shopper: PrivateKeyAccount
  }
  sellers: Readonly<Record<string, SellerHandle>>
  /** Closes everything; calling it again is harmless. */
  stop(): Promise<void>
}
