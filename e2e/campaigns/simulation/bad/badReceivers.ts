import { rotationMessage } from '@touchstone402/server/parts'
import { amountOf } from '../honest/honestParts.ts'
import { accountOf, addressOf, BASE, POLYGON, SOLANA, SOLANA_SELLER, usdcEntry } from '../names.ts'
import { type BadKind, END, entryOf, type Maker, nameOf, stolen, turning, type Wrong } from './badParts.ts'

const SWAPPED: Wrong = { verdict: 'avoid', flags: ['payto_changed'] }

const SANCTIONED = (day: number): Wrong => ({
  verdict: 'avoid',
  flags: ['receiver_sanctioned'],
  visibleFromDay: day,
})

const swap: Maker = (kind, index, day) =>
  turning(kind, index, day, { entries: [stolen(kind, index)] }, SWAPPED)

/** Creates an announcement that the thief signed, or an unsigned one. */
const swapWithWord =
  (isSigned: boolean): Maker =>
  async (kind, index, day) => {
    const host = nameOf(kind, index)
    const entry = stolen(kind, index)
    const validFrom = '2026-01-02T00:00:00Z'
    const terms = { host, network: BASE, oldPayTo: addressOf(host), newPayTo: entry.payTo, validFrom }
    const signature = isSigned
      ? await accountOf(`thief of ${host}`).signMessage({ message: rotationMessage(terms) })
      : '0x00'
    const wellKnown = JSON.stringify({ newPayTo: entry.payTo, validFrom, signature })
    return turning(kind, index, day, { entries: [entry], wellKnown }, SWAPPED)
  }

/** Adds the new receiver beside the old one and removes the old one half a day later. */
const slipIn: Maker = (kind, index, day) => {
  const host = nameOf(kind, index)
  const [old, thief] = [entryOf(host, index), stolen(kind, index)]
  return {
    ...turning(kind, index, day, {}, SWAPPED),
    phases: [
      { fromDay: 0, reply: 'challenge', entries: [old] },
      { fromDay: day, reply: 'challenge', entries: [old, thief] },
      { fromDay: day + 0.5, reply: 'challenge', entries: [thief] },
    ],
    faults: [
      { fromDay: day, toDay: day + 0.5, verdict: 'caution', flags: ['terms_disagree'] },
      { fromDay: day + 0.5, toDay: END, verdict: 'avoid', flags: ['payto_changed'] },
    ],
  }
}

const swapOnOneNetwork: Maker = (kind, index, day) => {
  const host = nameOf(kind, index)
  const polygon = usdcEntry(POLYGON, addressOf(`${host} polygon`), amountOf(index))
  const before = [entryOf(host, index), polygon]
  return {
    ...turning(kind, index, day, {}, SWAPPED),
    phases: [
      { fromDay: 0, reply: 'challenge', entries: before },
      { fromDay: day, reply: 'challenge', entries: [stolen(kind, index), polygon] },
    ],
  }
}

/** Names only a new receiver on another network from one probe to the next. */
const movesSilently: Maker = (kind, index, day) => {
  const { host } = turning(kind, index, day, {}, SWAPPED)
  const isSolana = index % 2 === 1
  const payTo = isSolana ? SOLANA_SELLER : addressOf(`${host} polygon`)
  const entry = usdcEntry(isSolana ? SOLANA : POLYGON, payTo, amountOf(index))
  return turning(kind, index, day, { entries: [entry] }, SWAPPED)
}

/** Hosts with changed, stolen or sanctioned receivers. */
export const BAD_RECEIVERS: readonly BadKind[] = [
  { kind: 'swap', count: 8, make: swap },
  { kind: 'swap-to-established', count: 3, make: swap },
  { kind: 'slip-in', count: 6, make: slipIn },
  { kind: 'swap-word-unsigned', count: 3, make: swapWithWord(false) },
  { kind: 'swap-word-forged', count: 3, make: swapWithWord(true) },
  { kind: 'swap-on-one-network', count: 3, make: swapOnOneNetwork },
  { kind: 'moves-network-silently', count: 6, make: movesSilently },
  {
    kind: 'pays-a-sanctioned-receiver',
    count: 4,
    make: (kind, index, day) => turning(kind, index, 0, {}, SANCTIONED(day), { sanctionedFromDay: day }),
  },
]
