import { HONEST_ANSWERS } from './honest/answers.ts'
import { HONEST_DOCUMENTS } from './honest/documents.ts'
import { HONEST_FORMS } from './honest/forms.ts'
import { HONEST_NEIGHBOURS } from './honest/neighbours.ts'
import { HONEST_NEWS } from './honest/news.ts'
import { HONEST_PAYMENTS } from './honest/payments.ts'
import { HONEST_PRICES } from './honest/prices.ts'
import { HONEST_RECEIVERS } from './honest/receivers.ts'
import type { Kind } from './parts.ts'
import { BAD_ANSWERS } from './thieves/answers.ts'
import { HIDES_ITS_PRICE } from './thieves/categories.ts'
import { BAD_CLOAKS } from './thieves/cloaks.ts'
import { DECOYS } from './thieves/decoys.ts'
import { EXITS } from './thieves/exits.ts'
import { HIDDEN } from './thieves/hidden.ts'
import { BAD_OFFERS } from './thieves/offers.ts'
import { PRINTS } from './thieves/prints.ts'
import { BAD_PURCHASES } from './thieves/purchases.ts'
import { BAD_RECEIVERS } from './thieves/receivers.ts'
import { BAD_RECORDS } from './thieves/records.ts'
import { BAD_TERMS } from './thieves/terms.ts'
import { FLUSHES, TIMING } from './thieves/timing.ts'
import { WORDS } from './thieves/words.ts'
import { addressOf } from './world/names.ts'
import type { ChainHistory, Host } from './world/types.ts'

const DAY = 86_400_000

const HONEST = [
  ...[HONEST_RECEIVERS, HONEST_PRICES, HONEST_ANSWERS, HONEST_PAYMENTS],
  ...[HONEST_DOCUMENTS, HONEST_NEWS, HONEST_FORMS, HONEST_NEIGHBOURS],
].flat()
const BAD = [
  ...[BAD_RECEIVERS, BAD_CLOAKS, BAD_TERMS, BAD_ANSWERS, BAD_OFFERS, BAD_RECORDS, BAD_PURCHASES],
  ...[TIMING, FLUSHES, HIDDEN, DECOYS, EXITS, WORDS, PRINTS, HIDES_ITS_PRICE],
].flat()

/**
 * Returns every host of the simulation, with changes spread from the second day on.
 * @param days simulated days, at least 4, and at least 6 for all hosts
 * @param options.one whether to make one host of each kind only
 */
export async function allHosts(days: number, { one = false } = {}): Promise<Host[]> {
  // A receiver is stable after a day, and every fault has more than two days to be noticed.
  const [first, span] = one ? [1.25, 0.25] : [2, days - 5]
  // Coprime to 24, so that changes happen at all hours of the day.
  const dayOf = (index: number) => Math.round(1000 * (first + ((index * 0.377) % span))) / 1000
  const make = (kinds: readonly Kind[]) => {
    const all = kinds.flatMap((kind, place) =>
      Array.from({ length: one ? 1 : kind.count }, (_, index) => ({
        kind,
        // Another variant of each kind.
        index: one ? place % kind.count : index,
      })),
    )
    return Promise.all(all.map(({ kind, index }, place) => kind.make(index, dayOf(place))))
  }
  const made = [...(await make(HONEST)), ...(await make(BAD))]
  return made.flat()
}

/** Returns the chain history of each scripted receiver. */
export function chainHistories(hosts: readonly Host[]): (address: string) => ChainHistory {
  const histories = new Map<string, ChainHistory>()
  for (const [index, { host, kind, isHonest, escapesOnDay }] of hosts.entries()) {
    const own = isHonest ? (['established', 'dormant', 'few'] as const)[index % 3] : 'established'
    histories.set(addressOf(host).toLowerCase(), kind === 'never-paid' ? 'none' : (own ?? 'few'))
    const thief = addressOf(`thief of ${host}`).toLowerCase()
    histories.set(
      thief,
      kind === 'swap-to-established' ? 'established' : escapesOnDay === undefined ? 'few' : 'none',
    )
  }
  return (address) => histories.get(address.toLowerCase()) ?? 'few'
}

/**
 * Returns whether the sanctions oracle lists an address.
 * @param start time of day 0
 */
export function sanctionsList(
  hosts: readonly Host[],
  start: number,
): (address: string, at: number) => boolean {
  const listedFrom = new Map(
    hosts.flatMap(({ host, sanctionedFromDay: day }) =>
      day === undefined ? [] : [[addressOf(host).toLowerCase(), start + day * DAY] as const],
    ),
  )
  return (address, at) => at >= (listedFrom.get(address.toLowerCase()) ?? Number.POSITIVE_INFINITY)
}
