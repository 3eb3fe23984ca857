/** 0x-prefixed hex text. */
export type Hex = `0x${string}`

/** A 20-byte address as lower-case hex. */
export type Address = `0x${string}`

/** One block, as one RPC reported it. */
export type BlockRef = {
  readonly number: number
  readonly hash: Hex
  /** Block timestamp, seconds since 1970. */
  readonly time: number
}

/** How settled a block is: `finalized` is never replaced, `latest` may be. */
export type Finality = 'latest' | 'safe' | 'finalized'

/** The three heads of a chain, read together from one RPC. */
export type Heads = { readonly [F in Finality]: BlockRef }

/** Blocks `from` to `to`, both included. */
export type BlockRange = { readonly from: number; readonly to: number }

/** What every read accepts. */
export type ReadOptions = {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds since 1970 after which no new request is started. @default no deadline of its own */
  readonly deadlineAt?: number | undefined
}

/**
 * ERC-20 transfers as columns, one row a log, ordered by block and log index.
 *
 * A value is `valueHigh * 2^48 + valueLow`, except in rows listed in `wideValues`.
 * Columns may be shared between readers: treat them as frozen.
 */
export type TransferColumns = {
  /** Rows; every column has at least this many entries. */
  readonly count: number
  readonly block: Uint32Array
  readonly logIndex: Uint32Array
  /** Ordinal of the transaction in `txWords`; rows of one transaction are neighbours. */
  readonly tx: Uint32Array
  /** Ordinal of the sender in `addressWords`. */
  readonly from: Uint32Array
  /** Ordinal of the recipient in `addressWords`. */
  readonly to: Uint32Array
  /** Bits 0 to 47 of the value, an integer. */
  readonly valueLow: Float64Array
  /** Bits 48 to 95 of the value, an integer. */
  readonly valueHigh: Float64Array
  /** Whole values of the rows that need more than 96 bits; their two limbs are 0. */
  readonly wideValues: ReadonlyMap<number, bigint>
  /** Five big-endian 32-bit words an address. May hold addresses that no row uses. */
  readonly addressWords: Uint32Array
  readonly addressCount: number
  /** Eight big-endian 32-bit words a transaction hash. */
  readonly txWords: Uint32Array
  readonly txCount: number
}

/** Which transfers to read; `from` and `to` are filters on the two indexed topics. */
export type TransferQuery = ReadOptions & {
  readonly token: Address
  readonly fromBlock: number
  readonly toBlock: number
  readonly from?: Address | undefined
  readonly to?: Address | undefined
  /** Heads that the caller has just read, to save asking again. */
  readonly heads?: Heads | undefined
  /** Answer with what was read when the deadline or the row limit comes, newest blocks first, instead of failing. @default false */
  readonly partial?: boolean | undefined
}

/** Which blocks an answer rests on. */
export type Coverage = {
  /** Ranges that were read completely, ascending, not touching. */
  readonly ranges: readonly BlockRange[]
  /** True when `ranges` is exactly the asked range. */
  readonly complete: boolean
  /** True when the row limit ended the read. */
  readonly truncated: boolean
  /** Finality of the newest block asked for. */
  readonly finality: Finality
  /** Heads seen before the first log was read. */
  readonly heads: Heads
  /** HTTP requests that this read made. */
  readonly requests: number
}

/** Transfers together with what they cover. */
export type TransferRead = { readonly columns: TransferColumns; readonly coverage: Coverage }

/** What a token contract says of itself. */
export type TokenFacts = {
  readonly address: Address
  readonly isContract: boolean
  /** False when the contract does not answer `totalSupply` and `balanceOf` as ERC-20 does. */
  readonly isErc20: boolean
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  /** `bytes32`: name or symbol came in the old fixed form. `unknown`: decimals could not be read, so amounts are raw only. */
  readonly decimalsSource: 'call' | 'bytes32' | 'unknown'
  readonly totalSupply: bigint | null
}

/** Everything about one receiver that its profile is made of. */
export type ReceiverFacts = {
  readonly receiver: Address
  readonly isContract: boolean
  /** Transfers to the receiver. */
  readonly receipts: TransferColumns
  /** Transfers from the receiver. */
  readonly outflows: TransferColumns
  /** The block up to which the two were read; "30 days ago" counts from its time. */
  readonly asOf: BlockRef
  /** The block from which the two were read. */
  readonly historyFrom: BlockRef
  /** First block that is at most 30 days older than `asOf`. */
  readonly block30d: number
  /** First block that is at most 90 days older than `asOf`. */
  readonly block90d: number
  /** Timestamps, in seconds, of at least the blocks that `blocksToDate` names. */
  readonly blockTimes: ReadonlyMap<number, number>
}

/** Which receiver to look up. */
export type ReceiverQuery = ReadOptions & {
  readonly token: Address
  readonly receiver: Address
  /** How far back to look. @default 90 */
  readonly historyDays?: number | undefined
}

/**
 * Chain data of one chain. Every method rejects with a `ChainError` when the RPCs cannot answer in full;
 * none ever guesses.
 */
export type TransferSource = {
  readonly chainId: number
  /** The settled heads may be up to a minute old, unless asked for `fresh`. */
  heads(options?: ReadOptions & { readonly fresh?: boolean | undefined }): Promise<Heads>
  /** The first block later than `time` (seconds), with its timestamp; the latest block when none is. */
  firstBlockAfter(
    time: number,
    heads: Heads,
    options?: ReadOptions,
  ): Promise<Pick<BlockRef, 'number' | 'time'>>
  /** The newest block whose timestamp is at most `time` (seconds); the first block when all are later. */
  blockAtOrBefore(time: number, options?: ReadOptions): Promise<BlockRef>
  /** Timestamps in seconds of the given blocks. */
  blockTimes(blocks: readonly number[], options?: ReadOptions): Promise<ReadonlyMap<number, number>>
  transfers(query: TransferQuery): Promise<TransferRead>
  /** Whether the address holds code now. An account that delegates its code (EIP-7702) is still an account. */
  isContract(address: Address, options?: ReadOptions): Promise<boolean>
  /** `isContract` of many at once; an address that could not be looked up is missing. Never rejects. */
  contracts(addresses: readonly Address[], options?: ReadOptions): Promise<ReadonlyMap<Address, boolean>>
  /** Transfers of finalized blocks, from what is held without asking an RPC; null when not all of it is. */
  held(query: Pick<TransferQuery, 'token' | 'fromBlock' | 'toBlock'>): Promise<TransferColumns | null>
  /** What a holder's balance changed by over the blocks; null when the RPC does not keep that state. */
  balanceChange(
    query: ReadOptions & { token: Address; holder: Address; fromBlock: number; toBlock: number },
  ): Promise<bigint | null>
  token(address: Address, options?: ReadOptions): Promise<TokenFacts>
  receiver(query: ReceiverQuery): Promise<ReceiverFacts>
  /** Closes the connections. */
  close(): Promise<void>
}
