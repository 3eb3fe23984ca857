import type { Purchase } from '../facts/facts.ts'
import { DAY, toDate } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { readDocument } from '../store/documents.ts'
import { readPurchasesBetween } from '../store/standing.ts'
import type { Store } from '../store/store.ts'

const KIND = 'shopper-day'
const ID = 'current'
/** A service that stood still for longer begins with the present day. */
const KEPT_MS = 30 * DAY

/** The day of test purchases that is not reported yet, across restarts. */
export type ReportedDay = {
  /** Returns its date and what was bought on it so far. */
  read(): Promise<[date: string, purchases: readonly Purchase[]]>
  /** Notes that a day has begun. Resolves once that is durable. */
  note(date: string): Promise<void>
}

/** Keeps the date in a store; what was bought is in the purchases. */
export function createReportedDay(store: Store, { now }: Pick<Clock, 'now'>): ReportedDay {
  const note = (data: string) =>
    store.write('putDocument', { kind: KIND, id: ID, expiresAt: now() + KEPT_MS, data }, now())
  return {
    note,
    async read() {
      const kept = (await readDocument(store, KIND, ID, now()))?.data
      const date = typeof kept === 'string' ? kept : toDate(now())
      if (kept === undefined) await note(date)
      const from = Date.parse(date)
      return [date, await readPurchasesBetween(store, from - 1, from + DAY - 1)]
    },
  }
}
