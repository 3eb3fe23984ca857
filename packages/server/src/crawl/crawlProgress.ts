import type { Context } from '../context.ts'
import type { CrawlProgress, DirectoryProgress } from '../facts/crawlProgress.ts'
import { countDue } from '../store/leases.ts'
import { createProbeWatch, type WatchedProbe } from './probeWatch.ts'

/** Counts probes and due endpoints. */
export type ProgressKeeper = {
  read(): Omit<CrawlProgress, keyof DirectoryProgress>
  /** Counts a probe. */
  countProbe(probe: WatchedProbe, tookMs: number): void
  /** Counts a probe that threw. */
  countFailure(): void
  /**
   * Counts due endpoints and updates the round, at most every few seconds unless work begins or ends.
   * A round ends once nothing is left that was due at its start.
   * @returns whether it counted
   */
  recount(isIdle: boolean): Promise<boolean>
}

type Times = { -readonly [K in 'lastProbeAt' | 'round' | 'lastFinishedAt']: CrawlProgress[K] }

/** Minimum interval between two counts, in ms of real time. */
const COUNT_EVERY_MS = 3000

/** Creates the counters at zero. */
export function createProgressKeeper(ctx: Pick<Context, 'clock' | 'log' | 'store'>): ProgressKeeper {
  const { clock, store } = ctx
  const watch = createProbeWatch(ctx)
  const counts = { probes: 0, failures: 0, due: 0 }
  const times: Times = { lastProbeAt: null, round: null, lastFinishedAt: null }
  let countedAt = Number.NEGATIVE_INFINITY
  let wasIdle: boolean | null = null

  return {
    read: () => ({ ...counts, ...times, ...watch.read() }),
    countProbe(probe, tookMs) {
      watch.add(probe, tookMs)
      counts.probes++
      times.lastProbeAt = clock.now()
    },
    countFailure() {
      counts.failures++
    },
    async recount(isIdle) {
      if (isIdle === wasIdle && performance.now() - countedAt < COUNT_EVERY_MS) return false
      countedAt = performance.now()
      wasIdle = isIdle
      const now = clock.now()
      const { round, lastFinishedAt } = times
      const due = await countDue(store, now)
      const left = round === null ? 0 : await countDue(store, round.startedAt)
      counts.due = due
      if (round !== null && left > 0) {
        times.round = { ...round, probed: Math.max(0, round.total - left) }
        return true
      }
      // An empty first round counts as finished.
      if (round !== null || (lastFinishedAt === null && due === 0)) times.lastFinishedAt = now
      times.round = due > 0 ? { startedAt: now, probed: 0, total: due } : null
      return true
    },
  }
}
