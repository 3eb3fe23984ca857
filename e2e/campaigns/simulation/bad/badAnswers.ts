import type { Phase, Reply } from '../types.ts'
import { type BadKind, entryOf, sometimes, turning, type Wrong } from './badParts.ts'

const DOWN: Wrong = { verdict: 'avoid', flags: [] }
/** How servers answer requests for a route that they no longer have. */
const REMOVED: readonly Reply[] = ['not_found', 'not_found', 'gone', 'method_not_allowed', 'input_needed']
/** Replies that tell that the route is missing. */
export const MISSING: ReadonlySet<Reply> = new Set(['not_found', 'gone'])

const UNDELIVERED = (day: number): Wrong => ({
  verdict: 'avoid',
  flags: ['no_delivery'],
  visibleFromDay: day + 0.5,
})
/** Two test purchases that settle and deliver nothing. */
const twice = (day: number) => [
  { atDay: day, delivered: false },
  { atDay: day + 0.5, delivered: false },
]

/** Hosts that do not answer with a challenge, and hosts that do not deliver. */
export const BAD_ANSWERS: readonly BadKind[] = [
  {
    kind: 'dark',
    count: 5,
    make: (kind, index, day) => turning(kind, index, sometimes(index, day), { reply: 'refused' }, DOWN),
  },
  {
    kind: 'dark-and-back',
    count: 5,
    make: (kind, index, day) => {
      const host = turning(kind, index, day, { reply: 'refused' }, { ...DOWN, toDay: day + 1.5 })
      const back: Phase = { fromDay: day + 1.5, reply: 'challenge', entries: [entryOf(host.host, index)] }
      return { ...host, phases: [...host.phases, back] }
    },
  },
  {
    kind: 'page-for-all',
    count: 4,
    make: (kind, index, day) => turning(kind, index, sometimes(index, day), { reply: 'page' }, DOWN),
  },
  {
    kind: 'malformed',
    count: 2,
    make: (kind, index, day) => turning(kind, index, sometimes(index, day), { reply: 'malformed' }, DOWN),
  },
  {
    kind: 'flapping',
    count: 6,
    make: (kind, index, day) =>
      turning(
        kind,
        index,
        sometimes(index, day),
        { faults: { downMinutes: 20 + (index >> 1), everyMinutes: 40 } },
        { verdict: 'caution', flags: ['flaky'] },
      ),
  },
  {
    kind: 'honeypot',
    count: 3,
    make: (kind, index, day) => ({
      ...turning(kind, index, 0, {}, UNDELIVERED(day)),
      purchases: twice(day),
    }),
  },
  {
    kind: 'removes-route',
    count: 20,
    make: (kind, index, day) => {
      const reply = REMOVED[index % REMOVED.length] ?? 'not_found'
      const declaresInput = index < 10
      // Without declared input, a seller that began to check its input looks the same.
      const verdict = declaresInput || MISSING.has(reply) ? 'avoid' : 'caution'
      return turning(kind, index, day, { reply }, { verdict, flags: [] }, { declaresInput })
    },
  },
  {
    kind: 'provider-402',
    count: 4,
    make: (kind, index, day) => turning(kind, index, sometimes(index, day), { reply: 'provider_402' }, DOWN),
  },
  {
    kind: 'catch-all-402',
    count: 4,
    // Every path costs, none delivers. Only purchases tell it from an honest paywall in front of all paths.
    make: (kind, index, day) => ({
      ...turning(kind, index, 0, { isCatchAll: true }, UNDELIVERED(day)),
      purchases: twice(day),
    }),
  },
]
