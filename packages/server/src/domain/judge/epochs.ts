import type { Announcement, Observation, Time } from '../facts/facts.ts'
import { normalAddress, type ReceiverSets, receiverSets, receiversDiffer } from './offers.ts'
import { LIMITS } from './spec.ts'

/** A stretch of time in which an endpoint named the same receivers. */
export type Epoch = {
  readonly from: Time
  /** Successful looks of the stretch, oldest first; never empty. */
  readonly looks: readonly Observation[]
  /** The receivers that made the stretch: at each key those that were named first. */
  readonly receivers: ReceiverSets
}

/** The stretches, and the last looks that name somebody else without being confirmed yet. */
export type Epochs = { readonly epochs: readonly Epoch[]; readonly pending: readonly Observation[] }

type Open = {
  from: Time
  looks: Observation[]
  receivers: Map<string, ReadonlySet<string>>
  /** What its looks named, so that the same need not be compared again. */
  seen: Set<ReceiverSets>
}

/**
 * Splits successful looks by receiver.
 *
 * Looks are held against those that made the stretch, not against the look before: slipping a new receiver in beside
 * the old one and dropping the old one later is a change too. A new stretch begins where twelve looks in a row, by two
 * client identities or more, agree on other receivers; fewer are left out. So many, because a seller that draws one of
 * two receivers by lot shows the same one twice in a row half of the time.
 * @param looks successful observations, oldest first
 */
export function splitEpochs(looks: readonly Observation[]): Epochs {
  const epochs: Open[] = []
  let pending: Observation[] = []
  for (const look of looks) {
    const sets = receiverSets(look)
    const current = epochs.at(-1)
    if (current === undefined) {
      epochs.push(openEpoch([look]))
    } else if (current.seen.has(sets) || !receiversDiffer(current.receivers, sets)) {
      extend(current, look, sets)
      pending = []
    } else {
      pending = pending.filter((earlier) => !receiversDiffer(receiverSets(earlier), sets))
      pending.push(look)
      const clients = new Set(pending.map(({ client }) => client)).size
      if (clients >= 2 && pending.length >= LIMITS.swapLooks) {
        epochs.push(openEpoch(pending))
        pending = []
      }
    }
  }
  return { epochs, pending }
}

function openEpoch(looks: readonly Observation[]): Open {
  const epoch: Open = { from: looks[0]?.at ?? 0, looks: [], receivers: new Map(), seen: new Set() }
  for (const look of looks) extend(epoch, look, receiverSets(look))
  return epoch
}

function extend(epoch: Open, look: Observation, sets: ReceiverSets): void {
  epoch.looks.push(look)
  if (epoch.seen.has(sets)) return
  epoch.seen.add(sets)
  for (const [key, receivers] of sets) {
    if (!epoch.receivers.has(key)) epoch.receivers.set(key, receivers)
  }
}

/**
 * Whether every new receiver of a stretch was announced by one of those before, on its network and for a time at or
 * before the stretch began.
 */
export function isAnnounced(before: Epoch, after: Epoch, announcements: readonly Announcement[]): boolean {
  const old = addressesOf(before)
  return [...after.receivers].every(([key, receivers]) =>
    [...receivers].every(
      (address) =>
        old.has(address) ||
        announcements.some(
          ({ network, oldPayTo, newPayTo, validFrom }) =>
            key.startsWith(`${network} `) &&
            old.has(normalAddress(oldPayTo)) &&
            normalAddress(newPayTo) === address &&
            validFrom <= after.from,
        ),
    ),
  )
}

/** Every receiver of a stretch, hex in lower case. */
export function addressesOf(epoch: Epoch): ReadonlySet<string> {
  return new Set([...epoch.receivers.values()].flatMap((set) => [...set]))
}
