import { asks, bad, END, type Kind, type Seed, type Wrong } from '../parts.ts'
import { documentOf, OPEN_API } from '../world/documents.ts'
import type { Reply } from '../world/types.ts'

const DOWN: Wrong = { verdict: 'avoid', flags: [] }
/** How servers answer requests for a route that they no longer have. */
const REMOVED: readonly Reply[] = ['not_found', 'not_found', 'gone', 'method_not_allowed', 'input_needed']
/** Replies that tell that the route is missing. */
export const MISSING: ReadonlySet<Reply> = new Set(['not_found', 'gone'])

/** A host at which two test purchases settle and deliver nothing. */
const undelivered = ({ day }: Seed) => ({
  from: 0,
  wrong: { verdict: 'avoid', flags: ['no_delivery'], visibleFromDay: day + 0.5 } as const,
  purchases: [
    { atDay: day, delivered: false },
    { atDay: day + 0.5, delivered: false },
  ],
})

/** Hosts that do not answer with a challenge, and hosts that do not deliver. */
export const BAD_ANSWERS: readonly Kind[] = [
  bad('dark', 3, () => ({ change: { reply: 'refused' }, wrong: DOWN })),
  bad('dark-and-back', 3, ({ day, entry }) => ({
    from: day,
    phases: [asks(0, [entry]), asks(day, [entry], { reply: 'refused' }), asks(day + 1.5, [entry])],
    wrong: { ...DOWN, toDay: day + 1.5 },
  })),
  bad('page-for-all', 2, () => ({ change: { reply: 'page' }, wrong: DOWN })),
  bad('malformed', 2, () => ({ change: { reply: 'malformed' }, wrong: DOWN })),
  bad('flapping', 4, ({ index }) => ({
    change: { faults: { downMinutes: 20 + (index >> 1), everyMinutes: 40 } },
    // All probes of a day may come while it is up.
    wrong: { verdict: 'caution', flags: ['flaky'], visibleFromDay: 'seen' },
  })),
  bad('honeypot', 2, undelivered),
  bad('removes-route', 10, ({ index, day, host, entry }) => {
    const reply = REMOVED[index % REMOVED.length] ?? 'not_found'
    const declaresInput = index < 5
    // Without input that its own document declares, a seller that began to check its input looks the same.
    const verdict = declaresInput || MISSING.has(reply) ? 'avoid' : 'caution'
    const documents = declaresInput ? documentOf(OPEN_API, host, entry) : {}
    return {
      phases: [asks(0, [entry], documents), asks(day, [entry], { ...documents, reply })],
      faults: [{ fromDay: day, toDay: END, verdict, flags: [] }],
      wrong: { verdict, flags: [] },
      declaresInput,
    }
  }),
  bad('provider-402', 2, () => ({ change: { reply: 'provider_402' }, wrong: DOWN })),
  // Every path costs, none delivers. Only purchases tell it from an honest paywall in front of all paths.
  bad('catch-all-402', 2, (seed) => ({ ...undelivered(seed), change: { isCatchAll: true } })),
]
