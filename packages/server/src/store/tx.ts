import type { RawBuilder } from 'kysely'
import type { Changed } from '../ports/store.ts'
import type { Db } from './schema.ts'

/** Where engines name things differently. */
export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** Unix time in ms by the clock of the database. */
  readonly now: RawBuilder<number>
}

/** A unit of writing: it is committed whole, or nothing of it is. */
export type Tx = {
  /** Within the transaction; nothing else may be awaited in a unit. */
  readonly db: Db
  readonly dialect: Dialect
  /** Notifies watchers that a state was written, once the unit is committed. */
  changed(changed: Changed): void
}
