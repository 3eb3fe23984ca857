import { groupBy } from '@touchstone402/server/parts'
import { measureDays, type VerdictDays } from './measureTime.ts'
import type { Sample } from './simulate.ts'
import type { Host } from './types.ts'

/** How the verdicts treated honest hosts, over the time that they were measured and up. */
export type HonestTime = {
  /** Share of the time that was `safe`, percent, of hosts that may be `safe` by the rules of the score. */
  readonly safePct: number
  /** The same of all hosts. */
  readonly safePctOfAll: number
  /** Kinds that were not always `safe`, with that share of their time. */
  readonly belowByKind: Readonly<Record<string, number>>
  /** Hosts that were `avoid` while up. */
  readonly avoided: readonly string[]
}

/** Measures the verdicts on honest hosts by time. */
export function measureHonest(
  honest: readonly Host[],
  samplesOf: (host: Host) => readonly Sample[],
  days: number,
): HonestTime {
  const measured = honest.map((host) => ({ host, days: measureDays(host, samplesOf(host), days) }))
  const byKind = [...groupBy(measured, ({ host }) => host.kind)].map(
    ([kind, list]) => [kind, sharePct(list.map((one) => one.days))] as const,
  )
  return {
    safePct: sharePct(measured.filter(({ host }) => host.isCautionByRule !== true).map((one) => one.days)),
    safePctOfAll: sharePct(measured.map((one) => one.days)),
    belowByKind: Object.fromEntries(byKind.filter(([, pct]) => pct < 100)),
    avoided: measured.flatMap(({ host, days: { avoid } }) => (avoid > 0 ? [host.host] : [])),
  }
}

function sharePct(list: readonly VerdictDays[]): number {
  const safe = list.reduce((sum, days) => sum + days.safe, 0)
  const all = list.reduce((sum, days) => sum + days.safe + days.caution + days.avoid, 0)
  return all === 0 ? 100 : Math.floor((10_000 * safe) / all) / 100
}
