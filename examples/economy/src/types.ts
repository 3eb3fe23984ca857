import type { LookupFunction } from 'node:net'
import type { Address } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Chain } from './chain/startChain.ts'
import type { EconomyClock } from './clock.ts'
import type { FacilitatorFaults } from './facilitator.ts'
import type { SellerSpec } from './sellers/types.ts'

/** Options of the economy. */
export type StartOptions = {
  /** Called with one line per started part. */
  onProgress?(line: string): void
  /** The sellers to open. @default all of them */
  sellers?: readonly SellerSpec[]
  /** Blocks with transfers in the chain's history, at least 90. @default 240 */
  historyBlocks?: number
  /** File to which the chain of an economy with all sellers was saved, to start from instead of mining its history. */
  chainState?: string
  /**
   * How sellers are addressed: by names below `localhost` on one port, which some resolvers do not know, or by a port of
   * 127.0.0.1 for each. @default 'names'
   */
  hosts?: 'names' | 'ports'
  /** Port of sellers with names. @default any free one */
  sellerPort?: number
  /** Whether the audit's clock starts three days ago and runs fast. @default 'fast' */
  clock?: 'fast' | 'real'
}

/** A seller that is open. */
export type SellerHandle = {
  id: string
  spec: SellerSpec
  /** Host with port: `honest-v2.localhost:43210`, by its name if it has one, or `127.0.0.1:43210`. */
  host: string
  /** The endpoint's full URL as listed. */
  url: string
  method: 'GET' | 'POST'
  /** Its current receiver. */
  readonly receiver: Address
  /** Number of requests to its host. */
  readonly hits: number
  /** Number of responses with a settlement. */
  readonly paid: number
  /** Changes the receiver and returns the new one. Only on sellers that can. */
  swap?(): Address
}

/** A running economy. */
export type Economy = {
  /** The local chain, with Base's chain id. */
  chain: Omit<Chain, 'stop'>
  facilitator: {
    /** Base URL of POST /verify, POST /settle, GET /supported and GET /discovery/resources. */
    url: string
    /** Set to make settlements fail. */
    faults: FacilitatorFaults
  }
  directories: {
    /** Base URL of `/discovery/resources`, in the Bazaar's format. */
    bazaarUrl: string
    /** Base URL of `/api/v1/services`, in the 402 index's format. */
    index402Url: string
    /** Base URL of an MCP registry (`/v0/servers`) that is the npm registry of its packages as well. */
    mcpUrl: string
  }
  clock: EconomyClock
  /** Resolves `*.localhost` to 127.0.0.1. */
  lookup: LookupFunction
  /** Addresses with ports of the sellers, which an address guard must allow. */
  allowedHosts: readonly string[]
  /** Every origin of the economy. */
  allowedOrigins: readonly string[]
  /** A fetch that resolves the economy's names. */
  fetch: typeof fetch
  /** Accounts of the well-known test mnemonic. All but the service's are funded with USDC. */
  wallets: {
    bots: readonly PrivateKeyAccount[]
    /** Receives what the service earns. Starts empty. */
    service: PrivateKeyAccount
    /** Pays for test purchases. */
    shopper: PrivateKeyAccount
  }
  sellers: Readonly<Record<string, SellerHandle>>
  /** Closes every part. Calling it again is a no-op. */
  stop(): Promise<void>
}
