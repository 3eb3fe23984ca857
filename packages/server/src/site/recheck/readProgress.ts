import type { Time } from '../../domain/facts/facts.ts'
import type { HostSummary } from '../../domain/facts/hostDocument.ts'
import { MINUTE, toTimestamp } from '../../domain/facts/times.ts'
import { currentVerdict } from '../../domain/publish/verdict.ts'

/** Time after which a re-check is no longer waited for. */
const PATIENCE_MS = 10 * MINUTE
/** Number of endpoints that are listed; a host may have thousands. */
const LISTED = 40

/** How far a re-check is. */
export type RecheckProgress = ReturnType<typeof readProgress>

/** Reads how far the re-check of a host is that was asked for at a time. */
export function readProgress({ host, endpoints }: HostSummary, since: Time, now: Time) {
  const rows = endpoints.map((state) => {
    const { endpoint, lastChecked } = state
    const isChecked = lastChecked !== null && lastChecked >= since
    const { verdict, status } = currentVerdict(state, now)
    return { endpoint, isChecked, checkedAt: isChecked ? toTimestamp(lastChecked) : null, status, verdict }
  })
  const checked = rows.filter(({ isChecked }) => isChecked).length
  return {
    host,
    since: toTimestamp(Math.min(since, now)),
    total: rows.length,
    checked,
    isDone: checked === rows.length,
    // Those that are still waited for are the news.
    endpoints: rows.sort((a, b) => Number(a.isChecked) - Number(b.isChecked)).slice(0, LISTED),
  }
}

/** Whether a page about it stops loading again. */
export const isOver = ({ isDone, since }: RecheckProgress, now: Time): boolean =>
  isDone || now - Date.parse(since) > PATIENCE_MS
