import { rotationMessage } from '@touchstone402/server/parts'
import {
  type BadKind,
  END,
  entryOf,
  type Maker,
  nameOf,
  sometimes,
  stolen,
  times,
  turning,
  type Wrong,
} from './badParts.ts'
import { amountOf } from './honest.ts'
import { accountOf, addressOf, BASE, CLIENTS, POLYGON, usdcEntry } from './names.ts'

const SWAPPED: Wrong = { verdict: 'avoid', flags: ['payto_changed'] }
const CLOAKED: Wrong = { verdict: 'avoid', flags: ['cloaked'] }

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
      { fromDay: day, reply: 'challenge', entries: [old, thief], disagrees: true },
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

/** Hosts with changed receivers, and with terms that depend on the client. */
export const BAD_RECEIVERS: readonly BadKind[] = [
  { kind: 'swap', count: 8, make: swap },
  { kind: 'swap-to-established', count: 3, make: swap },
  { kind: 'slip-in', count: 6, make: slipIn },
  { kind: 'swap-word-unsigned', count: 3, make: swapWithWord(false) },
  { kind: 'swap-word-forged', count: 3, make: swapWithWord(true) },
  { kind: 'swap-on-one-network', count: 3, make: swapOnOneNetwork },
  {
    kind: 'cloaks-receiver',
    count: 8,
    make: (kind, index, day) => {
      const client = CLIENTS[index % 2] ?? CLIENTS[0]
      const shownTo = { client, entries: [stolen(kind, index)] }
      return turning(kind, index, sometimes(index >> 1, day), { shownTo }, CLOAKED)
    },
  },
  {
    kind: 'cloaks-price',
    count: 5,
    make: (kind, index, day) => {
      const client = CLIENTS[index % 2] ?? CLIENTS[0]
      const shownTo = { client, entries: [times(entryOf(nameOf(kind, index), index), 5)] }
      return turning(kind, index, sometimes(index >> 1, day), { shownTo }, CLOAKED)
    },
  },
]
