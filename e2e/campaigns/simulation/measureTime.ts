import { groupBy } from '@touchstone402/server/parts'
import type { Sample } from './simulate.ts'
import type { Host } from './types.ts'

/** Days that each verdict stood while the seller was up. */
export type VerdictDays = { readonly safe: number; readonly caution: number; readonly avoid: number }

type Span = { readonly from: number; readonly to: number }

/** For two hours after an outage `avoid` is right: recovery has to be seen and confirmed. */
const RECOVERY_DAYS = 2 / 24

/**
 * Measures how long each verdict stood, without outages. A verdict stands until the next one on its endpoint, or until
 * it expires. `avoid` within two hours of an outage is left out.
 */
export function measureDays({ downtime = [] }: Host, samples: readonly Sample[], days: number): VerdictDays {
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
