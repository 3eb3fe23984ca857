import type { AccuracyFigures } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { DAY, toDate } from '../facts/times.ts'
import { readReports } from '../store/facts.ts'
import type { Store } from '../store/store.ts'

/** Age of the oldest report whose figures are shown. */
const SHOWN_MS = 30 * DAY

/** Reads how verdicts held, as of the latest report; undefined before the first. */
export async function readAccuracy(store: Store, now: Time): Promise<readonly AccuracyFigures[] | undefined> {
  const reports = await readReports(store, toDate(now - SHOWN_MS))
  return reports.findLast(({ asOf }) => Date.parse(asOf) <= now)?.accuracyFigures
}
