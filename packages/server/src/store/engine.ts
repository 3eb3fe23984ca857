import type { Changed } from '../ports/store.ts'
import type { Db } from './schema.ts'
import type { Dialect, Tx } from './tx.ts'
import type { UNITS } from './units.ts'

type Units = typeof UNITS

/** Name of a unit. */
export type UnitName = keyof Units

/** Arguments of a unit behind its transaction. */
export type ArgumentsOf<K extends UnitName> = Units[K] extends (tx: Tx, ...args: infer Args) => unknown
  ? Args
  : never

/** What a unit resolves to. */
export type ResultOf<K extends UnitName> = Awaited<ReturnType<Units[K]>>

/** What differs between SQLite and PostgreSQL. All methods reject with `StoreUnavailableError` if it is unavailable. */
export type Engine = {
  readonly dialect: Dialect
  /** Reads the last commit. */
  readonly db: Db
  /** Runs a unit. Resolves once it is committed. */
  write<K extends UnitName>(name: K, ...args: ArgumentsOf<K>): Promise<ResultOf<K>>
  /** Runs a unit that only reads, and much, where it holds up nobody. */
  count<K extends UnitName>(name: K, ...args: ArgumentsOf<K>): Promise<ResultOf<K>>
  /** Calls back after each written state, see `Store`. Returns a function that ends it. */
  watch(onChange: (changed: Changed | null) => void): Promise<() => Promise<void>>
  diskBytes(): Promise<number>
  close(): Promise<void>
}

/** What a unit gave, and the states that it wrote. */
export type UnitResult = { readonly result: unknown; readonly changed: readonly Changed[] }

/** Runs units on a connection of its own, one after the other. */
export type UnitRunner = {
  run(name: UnitName, args: readonly unknown[]): Promise<UnitResult>
  close(): Promise<void>
}
