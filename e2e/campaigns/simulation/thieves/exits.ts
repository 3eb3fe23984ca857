import { asks, bad, END, type Kind, type Wrong } from '../parts.ts'
import { addressOf, POLYGON, usdcEntry } from '../world/names.ts'

/**
 * Creates hosts that add an offer on another network to another receiver, and drop the owner's after some days.
 * @param daysTogether days for which both stand
 * @param faults.wrong what dropping the owner's offer requires. Null for nothing
 */
export const addsThenDrops = (kind: string, count: number, daysTogether: number, wrong: Wrong | null): Kind =>
  bad(kind, count, ({ index, host, entry }) => {
    const payTo = addressOf(`other of ${host}`)
    const added = usdcEntry(POLYGON, payTo, entry.amountAtomic)
    const from = 2 + 0.3 * index
    const dropsOn = from + daysTogether
    return {
      phases: [asks(0, [entry]), asks(from, [entry, added]), asks(dropsOn, [added])],
      wrong: wrong ?? { verdict: 'caution', flags: [] },
      faults: wrong === null ? [] : [{ fromDay: dropsOn, toDay: END, ...wrong }],
      theft: [{ fromDay: dropsOn, toDay: END, payTo }],
    }
  })

/** Hosts that change their receiver by way of a second offer. */
export const EXITS: readonly Kind[] = [
  addsThenDrops('adds-then-drops-2-days', 3, 2, { verdict: 'avoid', flags: ['payto_changed'] }),
]
