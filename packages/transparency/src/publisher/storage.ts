/** A published checkpoint. */
export type LogHead = {
  /** The checkpoint as the log and its witnesses signed it. */
  readonly note: string
  readonly size: number
  /** Unix time in ms. */
  readonly at: number
}

/** Place of a tile of hashes. */
export type TilePlace = { readonly level: number; readonly index: number }

/**
 * Keeps the entries of a log, its tiles and its newest checkpoint. The caller adds entries, in one transaction with
 * what they speak of; they wait until `sequence` places them. Writes resolve once they are durable. Only one process at
 * a time may call `sequence` and `putHead`.
 */
export type LogStorage = {
  /**
   * Gives waiting entries their places, oldest first, with the tiles of `growTree`: all or, if it rejects, nothing.
   * @returns their number, at most `limit`
   */
  sequence(limit: number): Promise<number>
  /** Number of entries that have a place. */
  size(): Promise<number>
  /** Reads tiles as they are now: the last one of a level may be partial. Undefined if the tree does not reach there. */
  tiles(places: readonly TilePlace[]): Promise<readonly (Uint8Array | undefined)[]>
  /** Reads entries from one place up to, not including, another. */
  entries(from: number, to: number): Promise<readonly Uint8Array[]>
  /** Reads the newest published checkpoint; null before the first. */
  head(): Promise<LogHead | null>
  /** Publishes a checkpoint. One that is smaller than the newest changes nothing. */
  putHead(head: LogHead): Promise<void>
}
