import { receiverProofMessage } from '@touchstone402/server/testing'
import { asks, bad, type Kind, stolen, type Wrong } from '../parts.ts'
import { accountOf, BASE, POLYGON, usdcEntry } from '../world/names.ts'

const SWAPPED: Wrong = { verdict: 'avoid', flags: ['payto_changed'] }
const EXPIRES = '2026-12-01T00:00:00Z'

/** Returns a document in which the account of a name signs for a host. */
export async function proofBy(name: string, host: string, network: string): Promise<string> {
  const account = accountOf(name)
  const terms = { host, network, payTo: account.address, expires: EXPIRES }
  const signature = await account.signMessage({ message: receiverProofMessage(terms) })
  const { payTo, expires } = terms
  return JSON.stringify({ receivers: [{ network, payTo, expires, signature }] })
}

/** Hosts whose thieves speak for themselves. */
export const WORDS: readonly Kind[] = [
  // The old receiver paid the thief before: dust that anybody can provoke, and ordinary amounts.
  bad('swap-after-payment', 4, ({ index, day, host, entry }) => {
    const thief = stolen(host, entry)
    const amountAtomic = ['1', '1000000', '9999', '123456'][index % 4] ?? '1'
    return {
      from: day,
      change: { entries: [thief] },
      wrong: SWAPPED,
      funding: [{ atDay: day - 1, from: entry.payTo, to: thief.payTo, amountAtomic }],
    }
  }),
  // The thief signs for the host, once the incident is open.
  bad('clears-itself', 2, async ({ day, host, entry }) => {
    const thief = [stolen(host, entry)]
    const wellKnown = await proofBy(`thief of ${host}`, host, BASE)
    return {
      wrong: SWAPPED,
      phases: [asks(0, [entry]), asks(day, thief), asks(day + 1.25, thief, { wellKnown })],
      from: day,
      escapesOnDay: day + 1.25,
    }
  }),
  // An offer to the thief beside the owner's, for which the thief signs.
  bad('proves-added-offer', 2, async ({ day, host, entry }) => {
    const added = usdcEntry(POLYGON, stolen(host, entry).payTo, entry.amountAtomic)
    const wellKnown = await proofBy(`thief of ${host}`, host, POLYGON)
    return {
      from: day,
      change: { entries: [added, entry], wellKnown },
      wrong: { verdict: 'caution', flags: ['terms_unproven'], toDay: day + 7 },
      forbidden: [{ fromDay: day, toDay: day + 7, payTo: added.payTo }],
    }
  }),
]
