import { asks, END, honest, type Kind, OWN, times } from '../parts.ts'
import { documentOf } from '../world/documents.ts'
import { SEPOLIA, usdcEntry } from '../world/names.ts'
import type { Host } from '../world/types.ts'

/** A host that asks five times what its own document says, and pays a rival's receiver. */
const NAMED_BY_A_BAITER = honest('named-by-a-baiter', 2, ({ day, index, entry }) => {
  const host = `api.baiter-${index}.test`
  const documents = documentOf(index, host, entry)
  return {
    also: [
      {
        host,
        isHonest: false,
        phases: [asks(0, [entry], documents), asks(day, [times(entry, 5)], documents)],
        claim: { ...OWN, price: 'stays' },
        faults: [
          { fromDay: day, toDay: END, verdict: 'avoid', flags: ['price_bait'], visibleFromDay: day + 1 },
        ],
        theft: [{ fromDay: day, toDay: END, aboveAtomic: times(entry, 3).amountAtomic }],
      },
    ],
  }
})

const CHEAP = 6

/** A rival lists cheap endpoints of its own under the category of a seller that asks for 15 cents. */
const SUNK_BY_A_CATEGORY = honest('sunk-by-a-category', 1, ({ index, entry }) => {
  const category = `sunk-${index}`
  return {
    category,
    phase: { entries: [{ ...entry, amountAtomic: '150000' }] },
    also: Array.from({ length: CHEAP }, (_, number): Partial<Host> & Pick<Host, 'host'> => ({
      host: `s${number}.sinker-${index}.test`,
      isHonest: false,
      phases: [asks(0, [{ ...entry, amountAtomic: '500' }])],
      faults: [],
      theft: [],
    })),
  }
})

/** Honest hosts beside others that wish them ill, or beside their own test paths. */
export const HONEST_NEIGHBOURS: readonly Kind[] = [
  NAMED_BY_A_BAITER,
  SUNK_BY_A_CATEGORY,
  // A path on a test network to try the API, beside the one that is sold.
  honest('sandbox', 2, ({ entry }) => ({
    paths: ['/api', '/sandbox'],
    foulPaths: ['/sandbox'],
    isSafeAsAWhole: true,
    phase: { byPath: { '/sandbox': [usdcEntry(SEPOLIA, entry.payTo, entry.amountAtomic)] } },
  })),
]
