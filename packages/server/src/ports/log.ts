import type { LeafText } from '@touchstone402/shared/leaves'
import type { LogHead, TilePlace } from '@touchstone402/transparency/publisher'
import type { NewLeaf } from '../facts/leaves.ts'

/** Whether a key of each use has ever begun to sign, so that others may know it. */
export type Published = { readonly decisions: boolean; readonly log: boolean }

/**
 * Keeps the log. A leaf is first written together with its facts, and waits; later it gets its place in the tree.
 * Writes resolve once they are durable. Only one process at a time may call `sequence` and `putHead`.
 */
export type LogStore = {
  /** Writes leaves that wait for their place. */
  add(leaves: readonly NewLeaf[]): Promise<void>
  /**
   * Gives waiting leaves their places, oldest first, with all tiles that follow: all or, if it rejects, nothing.
   * @returns their number, at most `limit`
   */
  sequence(limit: number): Promise<number>
  /** Number of leaves that have a place. */
  size(): Promise<number>
  /** Number of leaves that wait. */
  countWaiting(): Promise<number>
  /** Returns the place of a key's newest leaf; null while it waits, undefined if there is none. */
  find(key: string): Promise<number | null | undefined>
  /** Reads which keys have begun to sign, in this log or one before. */
  published(): Promise<Published>
  /** Reads tiles as they are now: the last one of a level may be partial. Undefined if the tree does not reach there. */
  tiles(places: readonly TilePlace[]): Promise<readonly (Uint8Array | undefined)[]>
  /** Reads leaves from one place up to, not including, another; the opening is null also if it was deleted. */
  entries(from: number, to: number): Promise<readonly LeafText[]>
  /** Deletes the opening of a leaf. @returns false if no leaf has that place, or it has no opening */
  forget(index: number): Promise<boolean>
  /** The newest published checkpoint; null before the first. */
  head(): Promise<LogHead | null>
  /** Publishes a checkpoint. One that is smaller than the newest changes nothing. */
  putHead(head: LogHead): Promise<void>
  /**
   * Ends the log and begins another whose first leaf is the given one. Leaves under the newest checkpoint are removed, the
   * others wait for a place in the new log. All of it or, if it rejects, nothing.
   */
  begin(first: NewLeaf): Promise<void>
}
