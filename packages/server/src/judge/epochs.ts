import { sameAddress } from '@touchstone402/shared'
import type { Announcement, Observation, Time } from '../facts/facts.ts'
import {
  addressesOf,
  isDisjoint,
  mainOffer,
  normalAddress,
  type ReceiverSets,
  receiverSets,
  receiversDiffer,
} from './offers.ts'
import { LIMITS } from './spec.ts'

/** The receiver of an offer. */
export type Paid = { readonly network: string; readonly payTo: string }

/** A period in which an endpoint named the same receivers. */
export type Epoch = {
  readonly from: Time
  /** When the change to these receivers was confirmed. */
  readonly confirmedAt: Time
  /** The receivers that were named first at each key. */
  readonly receivers: ReceiverSets
  /** Receiver of the first probe's main offer, and of the last one's. */
  readonly first: Paid | undefined
  readonly last: Paid | undefined
  /** Ids of the facts that show the change: the first two probes. */
  readonly ids: readonly string[]
  /** Number of probes that are not read any more, and those that are read. */
  readonly earlier: number
  readonly probes: readonly Observation[]
}

/** A change of receiver. */
export type Swap<Side = Epoch> = { readonly before: Side; readonly after: Side }

/** The receivers of an endpoint over time. */
export type Receivers = {
  /** Oldest first. */
  readonly epochs: readonly Epoch[]
  /** The trailing probes with another receiver that is not confirmed yet. */
  readonly pending: readonly Observation[]
}

/** Receivers from before the first probe that is read. */
export type ReceiversBefore = {
  /** The epoch of that time; undefined if there was none. */
  readonly epoch?: Epoch
  /** The published changes since then, oldest first: each begins an epoch with a probe that names one of the addresses. */
  readonly changes: readonly { readonly at: Time; readonly addresses: readonly string[] }[]
}

/** Creates an epoch without probes. */
export function createEpoch(from: Time, receivers: ReceiverSets, first: Paid | undefined): Epoch {
  return { from, confirmedAt: from, receivers, first, last: first, ids: [], earlier: 0, probes: [] }
}

/** An epoch that probes are added to. */
type Open = { -readonly [Key in keyof Epoch]: Epoch[Key] } & {
  readonly ids: string[]
  readonly probes: Observation[]
  /** Sets that were compared before. */
  readonly seen: Set<ReceiverSets>
}

/**
 * Splits successful probes by receiver, oldest first. Probes are compared with the first receivers of the epoch, not
 * with the previous probe: adding a receiver and dropping the old one later is a change too. A new epoch needs twelve
 * consecutive probes from at least two client identities, since a seller that picks one of two receivers at random shows
 * the same one twice in a row half of the time.
 * @param before @default nothing
 */
export function splitEpochs(
  probes: readonly Observation[],
  { epoch, changes }: ReceiversBefore = { changes: [] },
): Receivers {
  const epochs = epoch === undefined ? [] : [open([], epoch)]
  let known = 0
  let pending: Observation[] = []
  for (const probe of probes) {
    const sets = receiverSets(probe)
    const current = epochs.at(-1)
    const change = changes[known]
    const isChanged =
      change !== undefined && probe.at >= change.at && !isDisjoint(change.addresses, addressesOf(sets))
    if (isChanged) known += 1
    if (current === undefined || isChanged) {
      epochs.push(open([probe]))
      pending = []
    } else if (current.seen.has(sets) || !receiversDiffer(current.receivers, sets)) {
      extend(current, probe)
      pending = []
    } else {
      const last = pending.at(-1)
      // Those before the last one fit it already.
      if (last !== undefined && receiverSets(last) !== sets)
        pending = pending.filter((earlier) => !receiversDiffer(receiverSets(earlier), sets))
      pending.push(probe)
      const isConfirmed = pending.some(({ client }) => client !== probe.client)
      if (!isConfirmed || pending.length < LIMITS.swapProbes) continue
      epochs.push(open(pending))
      pending = []
    }
  }
  return { epochs, pending }
}

function open(probes: readonly Observation[], epoch = createEpoch(probes[0]?.at ?? 0, [], undefined)): Open {
  const confirmedAt = probes.at(-1)?.at ?? epoch.confirmedAt
  const opened = { ...epoch, confirmedAt, ids: [], probes: [], seen: new Set<ReceiverSets>() }
  for (const probe of probes) extend(opened, probe)
  return opened
}

function extend(epoch: Open, probe: Observation): void {
  const sets = receiverSets(probe)
  epoch.probes.push(probe)
  epoch.last = mainOffer(probe)
  epoch.first ??= epoch.last
  if (epoch.ids.length < 2) epoch.ids.push(probe.id)
  if (epoch.seen.has(sets)) return
  epoch.seen.add(sets)
  const added = sets.filter(([key]) => !epoch.receivers.some(([known]) => known === key))
  epoch.receivers = [...epoch.receivers, ...added]
}

/** Whether each new receiver was announced by a former one, on its network, with `validFrom` before the epoch began. */
export function isAnnounced(
  before: Pick<Epoch, 'receivers'>,
  after: Pick<Epoch, 'receivers' | 'from'>,
  announcements: readonly Announcement[],
): boolean {
  const old = addressesOf(before.receivers)
  return after.receivers.every(([key, receivers]) =>
    receivers.every(
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

/** Whether a receiver signed for the host, by a proof that has not expired. */
export function hasProof(
  announcements: readonly Announcement[],
  { network, payTo }: Paid,
  now: Time,
): boolean {
  return announcements.some(
    ({ basis, network: on, newPayTo, expiresAt = 0 }) =>
      basis === 'receiver_proof' && expiresAt > now && on === network && sameAddress(newPayTo, payTo),
  )
}

/** Returns the last unannounced change of receiver within 30 days. */
export function findSwap(
  epochs: readonly Epoch[],
  announcements: readonly Announcement[],
  now: Time,
): Swap | null {
  for (let index = epochs.length - 1; index > 0; index--) {
    const before = epochs[index - 1]
    const after = epochs[index]
    if (before === undefined || after === undefined || now - after.from >= LIMITS.changedMs) return null
    if (!isAnnounced(before, after, announcements)) return { before, after }
  }
  return null
}
