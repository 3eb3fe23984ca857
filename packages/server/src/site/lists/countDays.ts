import type { Change, Incident } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import type { DayBar } from '../components/plots.tsx'
import { lastDays } from '../format.ts'

/** Counts records per day over the last `days` days, oldest first. Days without records count 0. */
export function countDays(records: readonly (Incident | Change)[], days: number, now: Time): DayBar[] {
  const counts = new Map<string, number>()
  for (const record of records) {
    const date = ('detectedAt' in record ? record.detectedAt : record.at).slice(0, 10)
    counts.set(date, (counts.get(date) ?? 0) + 1)
  }
  return lastDays(days, now).map((date) => ({ date, count: counts.get(date) ?? 0 }))
}
