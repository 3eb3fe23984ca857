import { bad, END, type Kind } from '../parts.ts'
import type { ScriptedPurchase } from '../world/types.ts'

/** Answers after a settled payment: an error of the server, an empty page, and two refusals. */
const TAKEN: readonly Omit<ScriptedPurchase, 'atDay'>[] = [
  { delivered: false, httpStatus: 500 },
  { delivered: false, httpStatus: 200 },
  { delivered: false, httpStatus: 422, hasInput: true },
  { delivered: false, httpStatus: 402 },
]

/** Hosts whose faults only purchases show. */
export const BAD_PURCHASES: readonly Kind[] = [
  // Takes the money and answers an error, twice.
  bad('charges-for-errors', 4, ({ index, day }) => {
    const taken = TAKEN[index % TAKEN.length] ?? { delivered: false }
    const isRefusal = index % TAKEN.length === 3
    return {
      from: 0,
      wrong: {
        verdict: isRefusal ? 'caution' : 'avoid',
        flags: ['no_delivery', 'charges_errors'],
        visibleFromDay: day + 0.5,
      },
      purchases: [day, day + 0.5].map((atDay) => ({ atDay, ...taken })),
      theft: [{ fromDay: 0, toDay: END }],
    }
  }),
  // Knows the payers of the shopper. Nothing tells it from an honest host; the buyers' hours are said all the same.
  bad('serves-only-the-shopper', 2, ({ day }) => ({
    from: 0,
    wrong: { verdict: 'caution', flags: [] },
    faults: [],
    purchases: [day, day + 4].map((atDay) => ({ atDay, delivered: true, httpStatus: 200 })),
    theft: [{ fromDay: 0, toDay: END }],
  })),
  // Serves the shopper until it pays from an account that it never used before.
  bad('serves-known-payers', 2, ({ day }) => ({
    from: 0,
    wrong: { verdict: 'avoid', flags: ['no_delivery'], visibleFromDay: day + 2 },
    purchases: [
      { atDay: day, delivered: true, httpStatus: 200 },
      { atDay: day + 1, delivered: false, httpStatus: 500 },
      { atDay: day + 2, delivered: false, httpStatus: 500 },
    ],
    theft: [{ fromDay: 0, toDay: END }],
  })),
]
