/** 0x-prefixed hex string. */
export type Hex = `0x${string}`

/** 20-byte address in lower-case hex. */
export type Address = `0x${string}`

/** A block, as one RPC reported it. */
export type BlockRef = {
  readonly number: number
  readonly hash: Hex
  /** Block timestamp: Unix time in seconds. */
  readonly time: number
}

/** Finality of a block: `finalized` is never replaced, `latest` may be. */
export type Finality = 'latest' | 'safe' | 'finalized'

/** One RPC of a source, for those who watch it: its calls do not fall back. */
export type Rpc = {
  /** Host of the URL, without what may be secret. */
  readonly host: string
  /** @throws ChainError */
  call(method: string, params: readonly unknown[], options?: ReadOptions): Promise<unknown>
  /** HTTP requests so far. */
  requests(): number
  /** Requests so far without a usable answer. */
  failures(): number
}

/** The three heads of a chain, read from the same RPC. */
export type Heads = { readonly [F in Finality]: BlockRef }

/** Blocks `from` to `to`, both inclusive. */
export type BlockRange = { readonly from: number; readonly to: number }

/** Purpose of a JSON-RPC call. */
export type RpcPurpose =
  | 'heads'
  | 'receivers'
  | 'tokens'
  | 'token_facts'
  | 'token_days'
  | 'settlements'
  | 'health'
  | 'other'

/** Options of every read. */
export type ReadOptions = {
  readonly signal?: AbortSignal | undefined
  /** Unix time in ms after which no new request starts. @default none */
  readonly deadlineAt?: number | undefined
  /** Requests that may still start. Reads that share it count it down; at 0 they end as at a deadline. @default none */
  readonly allowance?: { left: number } | undefined
  /** Purpose that the calls are counted under. @default other */
  readonly purpose?: RpcPurpose | undefined
}

/**
 * ERC-20 transfers as columns, one row per log, ordered by block and log index.
 *
 * A deposit or withdrawal, as wrapped ether logs it, is a transfer from or to the zero address with a marked log index.
 * A value is `valueHigh * 2^48 + valueLow`, except in rows listed in `wideValues`.
 * Columns are shared between readers: treat them as immutable.
 */
export type TransferColumns = {
  /** Number of rows. Every column has at least this many entries. */
  readonly count: number
  readonly block: Uint32Array
  /** Index of the log within its block: see `logIndexAt`. */
  readonly logIndex: Uint32Array
  /** Ordinal of the transaction in `txWords`. Rows of one transaction are adjacent. */
  readonly tx: Uint32Array
  /** Ordinal of the sender in `addressWords`. */
  readonly from: Uint32Array
  /** Ordinal of the recipient in `addressWords`. */
  readonly to: Uint32Array
  /** Bits 0 to 47 of the value, an integer. */
  readonly valueLow: Float64Array
  /** Bits 48 to 95 of the value, an integer. */
  readonly valueHigh: Float64Array
  /** Values above 96 bits, by row; both limbs of such a row are 0. */
  readonly wideValues: ReadonlyMap<number, bigint>
  /** Five big-endian 32-bit words per address. May hold addresses that no row uses. */
  readonly addressWords: Uint32Array
  readonly addressCount: number
  /** Eight big-endian 32-bit words per transaction hash. */
  readonly txWords: Uint32Array
  readonly txCount: number
}

/** Which transfers to read. `from` and `to` filter by sender and recipient. */
export type TransferQuery = ReadOptions & {
  readonly token: Address
  readonly fromBlock: number
  readonly toBlock: number
  readonly from?: Address | undefined
  readonly to?: Address | undefined
  /** Heads that the caller has just read, to save a request. */
  readonly heads?: Heads | undefined
  /** Return the blocks read so far, newest first, at the deadline or the row limit, instead of failing. @default false */
  readonly partial?: boolean | undefined
}

/** Blocks that an answer covers. */
export type Coverage = {
  /** Ranges that were read in full, ascending and not adjacent. */
  readonly ranges: readonly BlockRange[]
  /**
   * Whether `ranges` is exactly the requested range, and a second reading of its finalized blocks had the same transfers:
   * by another RPC, or at least a minute later. A node that is behind leaves out transfers without an error.
   */
  readonly complete: boolean
  /** Whether the row limit ended the read. */
  readonly truncated: boolean
  /** Finality of the newest requested block. */
  readonly finality: Finality
  /** Heads before the first log was read. */
  readonly heads: Heads
  /** HTTP requests that this read made. */
  readonly requests: number
}

/** Transfers and the blocks they cover. */
export type TransferRead = { readonly columns: TransferColumns; readonly coverage: Coverage }

/** Metadata that a token contract reports. */
export type TokenFacts = {
  readonly address: Address
  readonly isContract: boolean
  /** Whether its functions answer as ERC-20 defines them. */
  readonly isErc20: boolean
  /** Whether it reports the interface of ERC-721. */
  readonly isErc721: boolean
  /** Whether its code has the functions of ERC-404, which is both and neither. */
  readonly isErc404: boolean
  /** Contract that a proxy forwards its calls to; null if it is not a proxy. */
  readonly implementation: Address | null
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  /** `bytes32`: name or symbol came as bytes32. `unknown`: `decimals` could not be read, so amounts are raw only. */
  readonly decimalsSource: 'call' | 'bytes32' | 'unknown'
  readonly totalSupply: bigint | null
}

/** Who sent tokens to payers before their first payment, by payer; a payer without one found is its own. In lower case. */
export type Funders = ReadonlyMap<Address, Address>

/** Facts that the profile of a receiver is computed from. */
export type ReceiverFacts = {
  readonly receiver: Address
  /** Payers that do not count, in lower case. @default none */
  readonly ignoredPayers?: ReadonlySet<Address> | undefined
  readonly isContract: boolean
  /** Answer of the sanctions oracle at `asOf`; null without a clear one. */
  readonly isSanctioned: boolean | null
  /** Transfers to the receiver. */
  readonly receipts: TransferColumns
  /** Transfers from the receiver. */
  readonly outflows: TransferColumns
  /** Transfers from addresses that the receiver funded, by such address. */
  readonly relayed: readonly TransferColumns[]
  /** Sources of the first payers; empty unless the receiver could be established. @default none was read */
  readonly funders?: Funders | undefined
  /** Last block that was read. "30 days ago" counts from its time. */
  readonly asOf: BlockRef
  /** First block that was read. */
  readonly historyFrom: BlockRef
  /**
   * Whether every block of the chain was read and the transfers add up to the balance. Without any, that proves nothing
   * unless the receiver is an account that never sent a transaction: one that has may have passed all on.
   */
  readonly isWhole: boolean
  /** First block that is at most 30 days older than `asOf`. */
  readonly block30d: number
  /** First block that is at most 90 days older than `asOf`. */
  readonly block90d: number
  /** Timestamps in seconds, at least of the blocks that `blocksToDate` returns. */
  readonly blockTimes: ReadonlyMap<number, number>
}

/** Which receiver to look up. */
export type ReceiverQuery = ReadOptions & {
  readonly token: Address
  readonly receiver: Address
  /** Days of history to read at least. */
  readonly historyDays: number
  /**
   * Requests to spend on older blocks and on addresses that the receiver funded. What they read is kept, so that
   * later look-ups continue where this one ends.
   * @default 0
   */
  readonly spareRequests?: number | undefined
  /** Contract that answers `isSanctioned(address)`. @default none */
  readonly sanctionsOracle?: Address | undefined
  /** Our own addresses, in lower case, whose test purchases are no receipts. @default none */
  readonly ignoredPayers?: ReadonlySet<Address> | undefined
}

/**
 * Chain data of one chain. Every method rejects with a `ChainError` if the RPCs cannot answer in full;
 * none ever guesses.
 */
export type TransferSource = {
  readonly chainId: number
  /** Reads the heads. Without `fresh`, safe and finalized may be up to a minute old. */
  heads(options?: ReadOptions & { readonly fresh?: boolean | undefined }): Promise<Heads>
  /** Returns the first block later than `time` (seconds), or the latest block. */
  firstBlockAfter(
    time: number,
    heads: Heads,
    options?: ReadOptions,
  ): Promise<Pick<BlockRef, 'number' | 'time'>>
  /** Returns the newest block at or before `time` (seconds), or the first block. */
  blockAtOrBefore(time: number, options?: ReadOptions): Promise<BlockRef>
  /** Returns the timestamps of blocks, in seconds. */
  blockTimes(blocks: readonly number[], options?: ReadOptions): Promise<ReadonlyMap<number, number>>
  transfers(query: TransferQuery): Promise<TransferRead>
  /** Whether an address holds code now. An account that delegates its code (EIP-7702) is still an account. */
  isContract(address: Address, options?: ReadOptions): Promise<boolean>
  /** `isContract` for many addresses. Omits addresses whose look-up failed; never rejects. */
  contracts(addresses: readonly Address[], options?: ReadOptions): Promise<ReadonlyMap<Address, boolean>>
  /** Returns finalized transfers from the cache, without a request; null unless all are cached and were read twice. */
  held(query: Pick<TransferQuery, 'token' | 'fromBlock' | 'toBlock'>): Promise<TransferColumns | null>
  /** Returns a holder's balance at the end of a block. Rejects if no RPC keeps that state; asks each RPC once. */
  balanceAt(query: ReadOptions & { token: Address; holder: Address; block: number }): Promise<bigint>
  token(address: Address, options?: ReadOptions): Promise<TokenFacts>
  receiver(query: ReceiverQuery): Promise<ReceiverFacts>
  /** Makes a JSON-RPC request. Falls back from one RPC to the next, all of which are on this chain. */
  request(
    method: string,
    params: readonly unknown[],
    options?: ReadOptions & { readonly rounds?: number },
  ): Promise<unknown>
  /** Returns the same source with its calls counted for a purpose. */
  countedAs(purpose: RpcPurpose): TransferSource
  /** Its RPCs, the preferred one first. */
  readonly rpcs: readonly Rpc[]
  /** Flushes pending writes and ends requests in progress with an error. */
  close(): Promise<void>
}
