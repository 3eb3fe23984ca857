import type { Context } from '../context.ts'
import type { Purchase } from '../facts/facts.ts'
import { DAY, toDate } from '../facts/times.ts'
import { readDocument } from '../store/documents.ts'
import { readPurchasesBetween } from '../store/standing.ts'

const KIND = 'shopper-day'
const ID = 'current'
/** A service that stood still for longer begins with the present day. */
const KEPT_MS = 30 * DAY

type Reporting = Pick<Context, 'store' | 'clock'>

/** Returns the day of test purchases that is not reported yet, across restarts, and what was bought on it so far. */
export async function readReportedDay(
  ctx: Reporting,
): Promise<[date: string, purchases: readonly Purchase[]]> {
  const { store, clock } = ctx
  const kept = (await readDocument(store, KIND, ID, clock.now()))?.data
  const date = typeof kept === 'string' ? kept : toDate(clock.now())
  if (kept === undefined) await noteReportedDay(ctx, date)
  const from = Date.parse(date)
  return [date, await readPurchasesBetween(store, from - 1, from + DAY - 1)]
}

/** Notes that a day has begun. Resolves once that is durable. */
export async function noteReportedDay({ store, clock }: Reporting, date: string): Promise<void> {
  const document = { kind: KIND, id: ID, expiresAt: clock.now() + KEPT_MS, data: date }
  await store.write('putDocument', document, clock.now())
}
