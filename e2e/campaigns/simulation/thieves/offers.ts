import { asks, bad, END, type Kind, OWN, stolen } from '../parts.ts'
import { documentOf } from '../world/documents.ts'
import { addressOf, POLYGON, SOLANA, SOLANA_THIEF, usdcEntry } from '../world/names.ts'
import type { Entry } from '../world/types.ts'

/** Circle's EURC on Base. */
const EURC = '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'

/** Offers to a thief beside the usual one. The last one is on a kind of chain that the seller was not paid on before. */
const ADDED: readonly ((host: string, entry: Entry) => Entry)[] = [
  (host, entry) => usdcEntry(POLYGON, stolen(host, entry).payTo, entry.amountAtomic),
  (host, entry) => ({ ...stolen(host, entry), asset: EURC, extra: { name: 'EURC', version: '2' } }),
  (_, entry) => usdcEntry(SOLANA, SOLANA_THIEF, entry.amountAtomic),
]

/** Base alone for days, then another offer in front, whose receiver is another. Unconfirmed, it is out of the signed terms. */
const ADDS_NETWORK_SILENTLY = bad('adds-offer-silently', 3, ({ index, day, host, entry }) => {
  const added = ADDED[index % ADDED.length]?.(host, entry) ?? entry
  const isNewKind = added.network === SOLANA
  return {
    from: day,
    change: { entries: [added, entry] },
    wrong: { verdict: 'caution', flags: ['terms_unproven'], toDay: day + 7 },
    forbidden: [{ fromDay: day, toDay: day + (isNewKind ? 1 : 7), payTo: added.payTo }],
    ...(isNewKind && { faults: [] }),
  }
})

const USUALLY = '1000'
const RARELY = '500000'
/** Of three times the usual price. */
const BOUND = '3000'
const PROBABILITIES = [0.5, 0.4, 0.2, 0.1] as const

/** Days in which the probes may have seen the high price alone, so that it is indistinguishable from a usual one. */
const FIRST_PROBES = 0.2

/**
 * Ask $0.001 usually and $0.50 at random. The rarer the high price, the later the probes show its range, and for a while
 * they may not; the signed terms end at three times the median all the same.
 */
const RANDOM_PRICE = bad('random-price', 4, ({ index, day, entry }) => {
  const probability = PROBABILITIES[index % PROBABILITIES.length] ?? 0.5
  const from = index < PROBABILITIES.length ? 0 : day
  const entries = [{ ...entry, amountAtomic: USUALLY }]
  const amounts = { usually: USUALLY, rarely: RARELY, probability }
  const isRare = probability < 0.3
  const mayLapse = probability < 0.5
  const wrong = { verdict: 'caution', flags: ['price_varies', 'price_bait'] } as const
  return {
    from,
    wrong,
    phases: [asks(0, entries), asks(from, entries, { amounts })],
    claim: OWN,
    faults: [
      {
        fromDay: from,
        toDay: END,
        ...wrong,
        ...(mayLapse && { heldDays: 0 }),
        visibleFromDay: from + 0.4 / probability,
      },
    ],
    ...(isRare && { forbidden: [{ fromDay: from + FIRST_PROBES, toDay: END, aboveAtomic: BOUND }] }),
  }
})

/** Another receiver than the seller's own document names, from the first day on. */
const PAYS_OTHER_THAN_DOCUMENT = bad('pays-other-than-document', 2, ({ host, entry }) => ({
  from: 0,
  change: { entries: [{ ...entry, payTo: addressOf(`other of ${host}`) }], ...documentOf(2, host, entry) },
  wrong: { verdict: 'caution', flags: ['receiver_differs_from_listing'] },
}))

/** Hosts with offers that were not there before, prices at random, and receivers that their own documents do not name. */
export const BAD_OFFERS: readonly Kind[] = [ADDS_NETWORK_SILENTLY, RANDOM_PRICE, PAYS_OTHER_THAN_DOCUMENT]
