import type { RawBuilder } from 'kysely'
import type { Db } from './schema.ts'

/** Where engines name things differently. */
export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** Unix time in ms by the clock of the database. */
  readonly now: RawBuilder<number>
}

/** An endpoint whose state was written. */
export type Changed = { readonly host: string; readonly endpoint: string }

/** Something to read by: the store, as of the last commit, or a unit within its transaction. */
export type Reader = { readonly db: Db }

/** A unit of writing: it is committed whole, or nothing of it is. Nothing but its queries may be awaited. */
export type Tx = Reader & {
  readonly dialect: Dialect
  /** Notifies watchers that a state was written, once the unit is committed. */
  changed(changed: Changed): void
}
