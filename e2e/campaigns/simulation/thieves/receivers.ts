import { rotationMessage } from '@touchstone402/server/testing'
import { asks, bad, END, type Kind, type Seed, stolen, type Wrong } from '../parts.ts'
import { accountOf, addressOf, BASE, POLYGON, SOLANA, SOLANA_SELLER, usdcEntry } from '../world/names.ts'

const SWAPPED: Wrong = { verdict: 'avoid', flags: ['payto_changed'] }

const swap = ({ day, host, entry }: Seed) => ({
  from: day,
  change: { entries: [stolen(host, entry)] },
  wrong: SWAPPED,
})

/** Creates hosts with an announcement that the thief signed, or an unsigned one. */
const swapWithWord = (kind: string, isSigned: boolean): Kind =>
  bad(kind, 3, async ({ day, host, entry }) => {
    const thief = stolen(host, entry)
    const validFrom = '2026-01-02T00:00:00Z'
    const terms = { host, network: BASE, oldPayTo: addressOf(host), newPayTo: thief.payTo, validFrom }
    const signature = isSigned
      ? await accountOf(`thief of ${host}`).signMessage({ message: rotationMessage(terms) })
      : '0x00'
    const wellKnown = JSON.stringify({ newPayTo: thief.payTo, validFrom, signature })
    return { from: day, change: { entries: [thief], wellKnown }, wrong: SWAPPED }
  })

/** Hosts with changed, stolen or sanctioned receivers. */
export const BAD_RECEIVERS: readonly Kind[] = [
  bad('swap', 4, swap),
  bad('swap-to-established', 2, swap),
  // Adds the new receiver beside the old one and removes the old one half a day later.
  bad('slip-in', 3, ({ day, host, entry }) => ({
    phases: [
      asks(0, [entry]),
      asks(day, [entry, stolen(host, entry)]),
      asks(day + 0.5, [stolen(host, entry)]),
    ],
    faults: [
      { fromDay: day, toDay: day + 0.5, verdict: 'caution', flags: ['terms_disagree'] },
      { fromDay: day + 0.5, toDay: END, ...SWAPPED },
    ],
    wrong: SWAPPED,
  })),
  swapWithWord('swap-word-unsigned', false),
  swapWithWord('swap-word-forged', true),
  bad('swap-on-one-network', 2, ({ day, host, entry }) => {
    const polygon = usdcEntry(POLYGON, addressOf(`${host} polygon`), entry.amountAtomic)
    const phases = [asks(0, [entry, polygon]), asks(day, [stolen(host, entry), polygon])]
    return { from: day, phases, wrong: SWAPPED }
  }),
  // Names only a new receiver on another network from one probe to the next.
  bad('moves-network-silently', 4, ({ index, day, host, entry: { amountAtomic } }) => {
    const isSolana = index % 2 === 1
    const payTo = isSolana ? SOLANA_SELLER : addressOf(`${host} polygon`)
    const entries = [usdcEntry(isSolana ? SOLANA : POLYGON, payTo, amountAtomic)]
    return { from: day, change: { entries }, wrong: SWAPPED }
  }),
  bad('pays-a-sanctioned-receiver', 2, ({ day }) => ({
    from: 0,
    wrong: { verdict: 'avoid', flags: ['receiver_sanctioned'], visibleFromDay: day },
    sanctionedFromDay: day,
  })),
]
