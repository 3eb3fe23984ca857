import type { Announcement, Observation, Time } from '../facts/facts.ts'
import { isByOldReceiver } from './announced.ts'
import type { Epoch } from './epochs.ts'
import { addressesOf, isDisjoint, normalAddress, receiverSets } from './offers.ts'
import { LIMITS } from './spec.ts'

/** Consecutive probes that named a receiver, and whether the stable ones were named beside it in all of them. */
type Occasion = { readonly ids: string[]; readonly from: Time; to: Time; isBeside: boolean; isOver: boolean }

/** A receiver that was named among stable ones, and not by all later probes. */
export type Flicker = {
  readonly payTo: string
  readonly lastAt: Time
  /** Whether it was seen on two occasions at least an hour apart. */
  readonly isRepeated: boolean
  /** Ids of the first probe of each occasion, and of the one after it. */
  readonly ids: readonly string[]
}

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
  const own = addressesOf(epoch.receivers)
  const announced = new Set(
    announcements.filter(isByOldReceiver).map(({ newPayTo }) => normalAddress(newPayTo)),
  )
  const found = new Map<string, Occasion[]>()
  const since = Math.max(epoch.from, now - LIMITS.flickerMemoryMs)
  for (const probe of probes.filter(({ at }) => at >= since)) {
    const named = addressesOf(receiverSets(probe))
    const isBeside = !isDisjoint(own, named)
    for (const [payTo, occasions] of found) if (!named.has(payTo)) end(occasions.at(-1), probe)
    for (const payTo of named) {
      if (own.has(payTo) || announced.has(payTo)) continue
      const occasions = found.get(payTo) ?? []
      const last = occasions.at(-1)
      if (last === undefined || last.isOver) {
        occasions.push({ ids: [probe.id], from: probe.at, to: probe.at, isBeside, isOver: false })
        found.set(payTo, occasions)
      } else {
        last.to = probe.at
        last.isBeside &&= isBeside
      }
    }
  }
  return [...found].flatMap(([payTo, occasions]) => toFlicker(payTo, occasions, now) ?? [])
}

/**
 * Whether an endpoint names its usual receivers nearly always, so that two receivers within a minute are no rotation: a
 * thief that answers the repeated probe honestly shows two of them as well.
 */
export function isMostlyStable(probes: readonly Observation[], epoch: Epoch | undefined, now: Time): boolean {
  if (epoch === undefined) return false
  const own = addressesOf(epoch.receivers)
  const recent = probes.filter(({ at }) => at >= Math.max(epoch.from, now - LIMITS.flickerMemoryMs))
  const stable = recent.filter((probe) => !isDisjoint(own, addressesOf(receiverSets(probe))))
  return (
    recent.length >= LIMITS.mostlyStableProbes &&
    100 * stable.length >= LIMITS.mostlyStablePct * recent.length
  )
}

function end(occasion: Occasion | undefined, probe: Observation): void {
  if (occasion === undefined || occasion.isOver) return
  occasion.isOver = true
  occasion.ids.push(probe.id)
}

function toFlicker(payTo: string, occasions: readonly Occasion[], now: Time): Flicker | undefined {
  const [first] = occasions
  const last = occasions.at(-1)
  if (first === undefined || last === undefined || !occasions.some(({ isOver }) => isOver)) return undefined
  const later = occasions.find((one) => isApart(first, one))
  const isRepeated = later !== undefined
  const stays = !last.isOver && last.to - last.from >= LIMITS.offerConfirmedMs
  if (!isRepeated && (stays || now - last.to >= LIMITS.flickerMs)) return undefined
  const shown = later === undefined ? [first] : [first, later]
  return { payTo, lastAt: last.to, isRepeated, ids: shown.flatMap(({ ids }) => ids) }
}

/** Whether two occasions are no single one. An offer added behind a cache comes and goes for some hours at first. */
function isApart(first: Occasion, later: Occasion): boolean {
  const isCache = first.isBeside && later.isBeside
  const leastMs = isCache ? LIMITS.cacheLagMs : LIMITS.flickerApartMs
  return first !== later && later.from - first.to >= leastMs
}
