import type { LogStorage } from '@touchstone402/transparency/publisher'
import { readHead, readLeaves, readLogSize, readTiles } from '../store/log.ts'
import type { Store } from '../store/store.ts'

/** Returns the log of the store as the package reads and signs it: its entries are leaves, without their openings. */
export function logStorage(store: Store): LogStorage {
  return {
    sequence: (limit) => store.write('sequenceLeaves', limit),
    size: () => readLogSize(store),
    tiles: (places) => readTiles(store, places),
    entries: async (from, to) => (await readLeaves(store, from, to)).map(({ leaf }) => Buffer.from(leaf)),
    head: () => readHead(store),
    putHead: (head) => store.write('putHead', head),
  }
}
