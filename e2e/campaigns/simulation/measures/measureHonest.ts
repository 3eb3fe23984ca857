import { groupBy } from '@touchstone402/server/testing'
import type { Host } from '../world/types.ts'
import type { Sample } from './sample.ts'

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

/** Days that each verdict stood while the seller was up. */
type VerdictDays = { readonly safe: number; readonly caution: number; readonly avoid: number }

type Span = { readonly from: number; readonly to: number }

/** For two hours after an outage `avoid` is right: recovery has to be seen and confirmed. */
const RECOVERY_DAYS = 2 / 24

/**
 * Measures how long each verdict stood, without outages. A verdict stands until the next one on its endpoint, or until
 * it expires. `avoid` within two hours of an outage is left out.
 */
function measureDays({ downtime = [] }: Host, samples: readonly Sample[], days: number): VerdictDays {
  const sum = { safe: 0, caution: 0, avoid: 0 }
  for (const ofEndpoint of groupBy(samples, ({ endpoint }) => endpoint).values()) {
    for (const [index, { verdict, day, expiresOnDay }] of ofEndpoint.entries()) {
      if (verdict === 'unknown') continue
      const span = { from: day, to: Math.min(ofEndpoint[index + 1]?.day ?? days, expiresOnDay, days) }
      const grace = verdict === 'avoid' ? RECOVERY_DAYS : 0
      const left = downtime.map(({ fromDay, toDay }) => overlap(span, { from: fromDay, to: toDay + grace }))
      const stood = Math.max(0, span.to - span.from) - left.reduce((total, part) => total + part, 0)
      sum[verdict] += Math.max(0, stood)
    }
  }
  return sum
}

const overlap = (a: Span, b: Span) => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from))
