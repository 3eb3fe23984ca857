import type { Band, Status, VerdictCode } from '@touchstone402/shared'
import type { RawBuilder } from 'kysely'
import type { Time } from '../facts/facts.ts'
import type { EndpointRow, EndpointState, HostRank, HostSummary } from '../facts/hostDocument.ts'
import type { Db } from './schema.ts'

/** Where engines name things differently. */
export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** Unix time in ms by the clock of the database. */
  readonly now: RawBuilder<number>
}

/** An endpoint whose state was written. */
export type Changed = {
  readonly host: string
  readonly endpoint: string
  /** Whether a change or an incident was written with it. */
  readonly hasNews: boolean
}

/** Something to read by: the store, as of the last commit, or a unit within its transaction. */
export type Reader = { readonly db: Db }

/**
 * Derives rows and orders from judgements. The store keeps the results beside the states, and knows no judgement itself. The
 * functions are pure.
 */
export type Derivation = {
  /** Returns what lists and totals show of an endpoint, and its verdict as of a time. */
  rowOf(
    state: EndpointState,
    now: Time,
  ): {
    readonly row: EndpointRow
    readonly verdict: VerdictCode
    readonly status: Status
    readonly score: number | null
  }
  /** Returns the place of a host in lists. */
  rankOf(summary: HostSummary, now: Time): HostRank
  /** Score bands, best first, each with its lowest score. */
  readonly bands: readonly { readonly id: Band; readonly min: number }[]
}

/** A unit of writing: it is committed whole, or nothing of it is. Nothing but its queries may be awaited. */
export type Tx = Reader & {
  readonly dialect: Dialect
  readonly derive: Derivation
  /** Notifies watchers that a state was written, once the unit is committed. */
  changed(changed: Changed): void
}
