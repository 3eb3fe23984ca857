import type { LogStorage } from '@touchstone402/transparency/publisher'
import type { LogStore } from '../ports/log.ts'

/** Returns the log of the store as the package reads and signs it: its entries are leaves, without their openings. */
export function logStorage(log: LogStore): LogStorage {
  return {
    ...log,
    entries: async (from, to) => (await log.entries(from, to)).map(({ leaf }) => Buffer.from(leaf)),
  }
}
