import type { Observation, Time } from '../facts/facts.ts'
import type { AddedReceiver } from '../facts/hostDocument.ts'
import {
  addressesOf,
  isDisjoint,
  mainOffer,
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
  /** The receivers that it began with, and those that stood beside them for 30 days. */
  readonly receivers: ReceiverSets
  /** Receivers that were added later, and stand beside these for less. */
  readonly added: readonly AddedReceiver[]
  /** Receiver of the first probe's main offer, and of the last one's. */
  readonly first: Paid | undefined
  readonly last: Paid | undefined
  /** Ids of the facts that show the change: the probes that confirmed it, at most twelve, the last of them included. */
  readonly ids: readonly string[]
  /** Number of probes that are not read any more, and those that are read. */
  readonly earlier: number
  readonly probes: readonly Observation[]
}

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
  return {
    from,
    confirmedAt: from,
    receivers,
    added: [],
    first,
    last: first,
    ids: [],
    earlier: 0,
    probes: [],
  }
}

/** An epoch that probes are added to. */
type Open = { -readonly [Key in keyof Epoch]: Epoch[Key] } & {
  readonly ids: string[]
  readonly probes: Observation[]
}

/**
 * Splits successful probes by receiver, oldest first. Probes are compared with the receivers that the epoch began with, not
 * with the previous probe: adding a receiver and dropping the old one later is a change too, unless both stood together
 * for 30 days. A new epoch needs twelve consecutive probes from at least two client identities, since a seller that picks
 * one of two receivers at random shows the same one twice in a row half of the time.
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
    } else if (!differsFrom(current, sets)) {
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
  const opened: Open = { ...epoch, confirmedAt, ids: [], probes: [] }
  for (const probe of probes) extend(opened, probe)
  const last = probes.at(-1)
  // The twelve may be by one client, and confirmed by a later one of another.
  if (last !== undefined && probes.length > LIMITS.swapProbes) opened.ids.splice(-1, 1, last.id)
  return opened
}

function extend(epoch: Open, probe: Observation): void {
  const sets = receiverSets(probe)
  if (epoch.receivers.length === 0) epoch.receivers = sets
  epoch.probes.push(probe)
  epoch.last = mainOffer(probe)
  epoch.first ??= epoch.last
  if (epoch.ids.length < LIMITS.swapProbes) epoch.ids.push(probe.id)
  if (sets !== epoch.receivers || epoch.added.length > 0) noteAdded(epoch, sets, probe.at)
}

/** Notes the receivers beside those of the epoch. One that stood there for 30 days is one of them from then on. */
function noteAdded(epoch: Open, sets: ReceiverSets, at: Time): void {
  const own = addressesOf(epoch.receivers)
  const beside = [...addressesOf(sets)].filter((payTo) => !own.has(payTo))
  if (beside.length === 0 && epoch.added.length === 0) return
  const added = beside.map((payTo): AddedReceiver => {
    const known = epoch.added.find((one) => one.payTo === payTo)
    return { payTo, from: known?.from ?? at, to: at }
  })
  const isJoined = ({ from, to }: AddedReceiver) => to - from >= LIMITS.togetherMs
  const joined = new Set(added.filter(isJoined).map(({ payTo }) => payTo))
  epoch.added = added.filter((one) => !isJoined(one))
  if (joined.size === 0) return
  const besides = sets.map(([key, receivers]) => [key, receivers.filter((one) => joined.has(one))] as const)
  epoch.receivers = [...epoch.receivers, ...besides.filter(([, receivers]) => receivers.length > 0)]
}

/** Whether a probe names none of an epoch's receivers: at some key, on some kind of chain, or at all. */
function differsFrom({ receivers }: Pick<Epoch, 'receivers'>, sets: ReceiverSets): boolean {
  if (receivers === sets) return false
  const isOther = (of: (key: string) => string) => {
    const places = new Set(sets.map(([key]) => of(key)))
    return [...places].some((place) => {
      const there = addressesAt(receivers, of, place)
      return there.length > 0 && isDisjoint(there, addressesAt(sets, of, place))
    })
  }
  return isOther((key) => key) || isOther(kindOfKey) || isDisjoint(addressesOf(receivers), addressesOf(sets))
}

const kindOfKey = (key: string) => key.slice(0, key.indexOf(':'))

/** Receivers from before the first probe that is read have no key: they may be of any kind. */
const addressesAt = (sets: ReceiverSets, of: (key: string) => string, place: string) =>
  sets.flatMap(([key, receivers]) => (of(key) === place ? receivers : []))
