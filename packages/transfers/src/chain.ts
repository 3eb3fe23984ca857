import type { ChainErrorCode } from './chainError.ts'
import type { DayAnswers, DayQuery } from './figures/dayAnswers.ts'
import type { profileReceiver } from './figures/profileReceiver.ts'
import type { TokenAnswers } from './figures/tokenAnswers.ts'
import type { TokenErrorCode } from './tokenError.ts'
import type {
  Address,
  BlockRef,
  Heads,
  Hex,
  ReadOptions,
  ReceiverQuery,
  RpcPurpose,
  TransferQuery,
} from './types.ts'

/** Limits and purpose of a read. */
export type ChainRead = Omit<ReadOptions, 'allowance'>

/** Which transfers to list. */
export type PaymentQuery = ChainRead &
  Pick<TransferQuery, 'token' | 'fromBlock' | 'toBlock' | 'from' | 'to'> & {
    /** Smallest value in atomic units. @default 0 */
    readonly minValue?: bigint | undefined
    /** Largest value in atomic units. @default any */
    readonly maxValue?: bigint | undefined
    /** Maximum number of transfers: the first ones are listed. */
    readonly limit: number
  }

/** One transfer. Addresses are in lower case, the value in atomic units. */
export type Payment = {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly block: number
  readonly txHash: Hex
  readonly logIndex: number
}

/** Profile of a receiver as of one block. */
export type ReceiverProfile = ReturnType<typeof profileReceiver>

/** Why a day could not be read; `internal` is a fault of ours. */
export type DayFailure = {
  readonly code: ChainErrorCode | TokenErrorCode | 'internal'
  readonly message: string
}

/** Result of reading a day, and the number of requests left. */
export type DayRead = { readonly requestsLeft: number } & (
  | { readonly answers: DayAnswers; readonly failure: null }
  | { readonly answers: null; readonly failure: DayFailure }
)

/** One JSON-RPC call. */
export type RpcQuery = ChainRead & { readonly method: string; readonly params: readonly unknown[] }

/** Calls since the start. */
export type ChainCounts = {
  /** HTTP requests to each RPC, and those without a usable answer. */
  readonly rpcs: readonly { readonly requests: number; readonly failures: number }[]
  /** JSON-RPC calls, each one of a batch included. */
  readonly byPurpose: Readonly<Record<RpcPurpose, number>>
}

/**
 * What a service asks of a chain. Each method takes one query. Queries, but for their signals, and results can be cloned,
 * so that the reads may run in another thread.
 *
 * Reads reject with a ChainError if the RPCs cannot answer in full.
 */
export type ChainReads = TokenAnswers & {
  /** Without `fresh`, safe and finalized heads may be up to a minute old. */
  heads(query: ChainRead & { readonly fresh?: boolean | undefined }): Promise<Heads>
  /** Returns the newest block at or before `time` (seconds), or the first block. */
  blockAtOrBefore(query: ChainRead & { readonly time: number }): Promise<BlockRef>
  /** Returns the timestamps of blocks, in seconds. */
  blockTimes(query: ChainRead & { readonly blocks: readonly number[] }): Promise<ReadonlyMap<number, number>>
  /** Lists transfers in the order of the chain. */
  payments(query: PaymentQuery): Promise<readonly Payment[]>
  /** Profiles a receiver. */
  profile(query: Omit<ReceiverQuery, 'allowance' | 'purpose'>): Promise<ReceiverProfile>
  /** Reads one UTC day of a token, with at most `requests` RPC requests. Rejects only if the read itself is lost. */
  day(query: Omit<DayQuery, 'allowance' | 'purpose'> & { readonly requests: number }): Promise<DayRead>
  /** Makes a JSON-RPC call. Falls back from one RPC to the next. */
  request(query: RpcQuery): Promise<unknown>
  /** Makes a JSON-RPC call to one RPC, by its index. It does not fall back. */
  requestOf(query: RpcQuery & { readonly rpc: number }): Promise<unknown>
  counts(query: ChainRead): Promise<ChainCounts>
}

/** A chain that a service reads. */
export type Chain = ChainReads & {
  readonly chainId: number
  /** Hosts of the RPCs, the preferred one first, without what may be secret. */
  readonly hosts: readonly string[]
  /** Ends reads in progress with an error, and flushes pending writes. */
  close(): Promise<void>
}

/** Options of a chain. All RPCs must be on this chain and agree on finalized blocks. */
export type ChainOptions = {
  readonly chainId: number
  /** URLs of the RPCs, the preferred one first. */
  readonly urls: readonly string[]
  /** Folder for finalized transfers, in its folders `chain` and `chain-days`. */
  readonly folder: string
  /** Tokens whose newest windows are kept in memory. */
  readonly warmTokens: readonly Address[]
}
