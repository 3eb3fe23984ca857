import type { Db } from './schema.ts'
import type { Changed, Dialect, Tx } from './tx.ts'
import type { UNITS } from './units.ts'

type Units = typeof UNITS

/** Name of a unit. */
export type UnitName = keyof Units

/** Arguments of a unit behind its transaction. */
export type ArgumentsOf<K extends UnitName> = Units[K] extends (tx: Tx, ...args: infer Args) => unknown
  ? Args
  : never

/** Result of a unit. */
export type ResultOf<K extends UnitName> = Awaited<ReturnType<Units[K]>>

/**
 * Differences between SQLite and PostgreSQL. All methods, and all queries, reject with `StoreUnavailableError` if it is
 * unavailable or closed.
 */
export type Engine = {
  readonly dialect: Dialect
  /** Reads the last commit. */
  readonly db: Db
  /** Runs a unit: all of it is written or nothing. Resolves once it is committed, and durable if the unit is. */
  write<K extends UnitName>(name: K, ...args: ArgumentsOf<K>): Promise<ResultOf<K>>
  /** Runs a unit that reads much and writes nothing, on a thread where it blocks no other unit. */
  count<K extends UnitName>(name: K, ...args: ArgumentsOf<K>): Promise<ResultOf<K>>
  /**
   * Calls back after each state that this or another process wrote; with null if any may have changed unseen.
   * Returns a function that ends it.
   */
  watch(onChange: Watcher): Promise<() => Promise<void>>
  /** Size on disk in bytes. */
  diskBytes(): Promise<number>
  close(): Promise<void>
}

/** Callback after each written state. */
export type Watcher = (changed: Changed | null) => void

/** Keeps watchers; one that is added twice is called twice. */
export function createWatchers() {
  const watchers = new Set<Watcher>()
  return {
    tell(changed: Changed | null): void {
      for (const watcher of watchers) watcher(changed)
    },
    /** Returns a function that removes it. */
    add(onChange: Watcher): () => Promise<void> {
      const watcher: Watcher = (changed) => onChange(changed)
      watchers.add(watcher)
      return async () => void watchers.delete(watcher)
    },
  }
}

/** Result of a unit, and the states it wrote. */
export type UnitResult = { readonly result: unknown; readonly changed: readonly Changed[] }

/** Runs units in sequence on their own connection. */
export type UnitRunner = {
  run(name: UnitName, args: readonly unknown[]): Promise<UnitResult>
  close(): Promise<void>
}
