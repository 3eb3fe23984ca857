import type { Announcement, Observation, Time } from '../facts/facts.ts'
import { isByOldReceiver } from './announced.ts'
import type { Epoch } from './epochs.ts'
import { addressesOf, isDisjoint, normalAddress, type ReceiverSets, receiverSets } from './offers.ts'
import { LIMITS } from './spec.ts'

/** Consecutive probes that named an unannounced receiver. */
type Occasion = {
  readonly payTo: string
  /** Id of its first probe, and of the one after its last. */
  readonly ids: string[]
  readonly from: Time
  to: Time
  /** Whether all of them named the stable receivers beside it. */
  isBeside: boolean
  /** Whether the stable receivers are on its kind of chain. */
  readonly isSameKind: boolean
  isOver: boolean
}

/** Receivers that were named among stable ones, and not by all later probes. */
export type Flicker = {
  readonly payTo: string
  readonly lastAt: Time
  /** Whether it was seen on two occasions at least an hour apart. */
  readonly isRepeated: boolean
  readonly ids: readonly string[]
}

/** Maximum number of occasions that are followed: a seller may name any number of receivers. */
const MAX_OCCASIONS = 64

/**
 * Finds receivers that some probes named and later ones did not: one probe is enough, since a seller that changes its
 * receiver for minutes is seen by few. Receivers that the old one announced are left out, and those that stayed since.
 * @param probes that returned terms, oldest first
 * @param epoch the current one
 */
export function findFlickers(
  probes: readonly Observation[],
  epoch: Epoch | undefined,
  announcements: readonly Announcement[],
  now: Time,
): readonly Flicker[] {
  if (epoch === undefined) return []
  const since = Math.max(epoch.from, now - LIMITS.flickerMemoryMs)
  const occasions = listOccasions(
    probes.filter(({ at }) => at >= since),
    epoch,
    new Set(announcements.filter(isByOldReceiver).map(({ newPayTo }) => normalAddress(newPayTo))),
  )
  const seen = occasions.filter((one) => one.isOver || hasEnded(occasions, one))
  const repeated = findRepeated(seen)
  if (repeated !== undefined) return [{ ...describe(repeated), isRepeated: true }]
  const recent = seen.filter(({ to, payTo }) => now - to < LIMITS.flickerMs && !stays(occasions, payTo))
  return recent.slice(0, 1).map((one) => ({ ...describe([one]), isRepeated: false }))
}

function listOccasions(
  probes: readonly Observation[],
  { receivers }: Epoch,
  announced: ReadonlySet<string>,
): readonly Occasion[] {
  const own = addressesOf(receivers)
  const kinds = new Set(receivers.map(([key]) => kindOfKey(key)))
  const occasions: Occasion[] = []
  let open: Occasion[] = []
  for (const probe of probes) {
    const sets = receiverSets(probe)
    const named = addressesOf(sets)
    for (const one of open) {
      if (named.has(one.payTo)) continue
      one.isOver = true
      one.ids.push(probe.id)
    }
    open = open.filter(({ isOver }) => !isOver)
    const isBeside = !isDisjoint(own, named)
    for (const one of open) {
      one.to = probe.at
      one.isBeside &&= isBeside
    }
    for (const payTo of named) {
      const isKnown = own.has(payTo) || announced.has(payTo) || open.some((one) => one.payTo === payTo)
      if (isKnown || occasions.length >= MAX_OCCASIONS) continue
      const isSameKind = kinds.has(kindOf(sets, payTo))
      const { id, at } = probe
      const occasion = { payTo, ids: [id], from: at, to: at, isBeside, isSameKind, isOver: false }
      occasions.push(occasion)
      open.push(occasion)
    }
  }
  return occasions
}

const kindOfKey = (key: string) => key.slice(0, key.indexOf(':'))
const kindOf = (sets: ReceiverSets, payTo: string) =>
  kindOfKey(sets.find(([, receivers]) => receivers.includes(payTo))?.[0] ?? '')

/** Whether an occasion lasts, after an earlier one of its receiver ended. */
const hasEnded = (occasions: readonly Occasion[], { payTo, isOver, from }: Occasion) =>
  !isOver && occasions.some((one) => one.payTo === payTo && one.isOver && one.from < from)

/** Whether a receiver that came and went has stayed for a day since. */
const stays = (occasions: readonly Occasion[], payTo: string) =>
  occasions.some((one) => one.payTo === payTo && !one.isOver && one.to - one.from >= LIMITS.offerConfirmedMs)

/**
 * Finds two occasions that are no single one: of whichever receivers, where they replaced the stable ones; of one receiver,
 * where it was added beside them on their kind of chain. An offer that is added behind a cache comes and goes for some
 * hours at first, and one on another kind of chain may be rolled back and added again.
 */
function findRepeated(seen: readonly Occasion[]): readonly Occasion[] | undefined {
  for (const [index, first] of seen.entries()) {
    const later = seen.slice(index + 1).find((one) => isRepeat(first, one))
    if (later !== undefined) return [first, later]
  }
  return undefined
}

function isRepeat(first: Occasion, later: Occasion): boolean {
  const apartMs = later.from - first.to
  if (!first.isBeside && !later.isBeside) return apartMs >= LIMITS.flickerApartMs
  return first.payTo === later.payTo && later.isSameKind && apartMs >= LIMITS.cacheLagMs
}

function describe(occasions: readonly Occasion[]): Omit<Flicker, 'isRepeated'> {
  const last = occasions.at(-1)
  return { payTo: last?.payTo ?? '', lastAt: last?.to ?? 0, ids: occasions.flatMap(({ ids }) => ids) }
}
