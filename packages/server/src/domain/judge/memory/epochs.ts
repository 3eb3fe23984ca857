import type { Announcement, Observation, Time } from '../../facts/facts.ts'
import {
  addressesOf,
  mainOffer,
  normalAddress,
  type ReceiverSets,
  receiverSets,
  receiversDiffer,
} from '../offers.ts'
import { LIMITS } from '../spec.ts'
import { keepLooks } from './looks.ts'

/** The receiver of an offer. */
export type Paid = { readonly network: string; readonly payTo: string }

/** A period in which an endpoint named the same receivers. */
export type Epoch = {
  readonly from: Time
  /** The receivers that were named first at each key. */
  readonly receivers: ReceiverSets
  /** Receiver of the first probe's main offer, and of the last one's. */
  readonly first: Paid | null
  readonly last: Paid | null
  /** Ids of the first two probes. */
  readonly ids: readonly string[]
  readonly count: number
  readonly lastAt: Time
}

/** A change of receiver. */
export type Swap<Side = Epoch> = { readonly before: Side; readonly after: Side }

/** A probe with another receiver that is not confirmed yet. */
export type Pending = {
  readonly id: string
  readonly at: Time
  readonly client: string
  readonly receivers: ReceiverSets
  readonly main: Paid | null
  /** Receivers of all offers, at most two. */
  readonly payTos: readonly string[]
}

/** All epochs that are kept, and the trailing probes with another receiver that is not confirmed yet. */
export type Epochs = {
  /** Oldest first. */
  readonly epochs: readonly Epoch[]
  /** The last probes of the newest epoch. */
  readonly current: readonly Observation[]
  /** Receivers of all offers in the newest epoch, at most two. */
  readonly payTos: readonly string[]
  readonly pending: readonly Pending[]
  /** Number of pending probes left out of the list. */
  readonly skipped: number
  /** The last pending probes. */
  readonly pendingLooks: readonly Observation[]
}

/** Maximum number of epochs that are kept, the one before the shown ones included. Older changes are published. */
export const MAX_EPOCHS = 51
/** Maximum number of characters of all kept receivers; the last three epochs are kept in any case. */
const MAX_EPOCHS_LENGTH = 4000
/** Maximum number of pending probes that are kept, the first and the last ones. More are counted. */
const MAX_PENDING = 24
/** Maximum number of keys of an epoch. Another receiver at a later key counts only if no other receiver stays. */
const MAX_KEYS = 32

export const NO_EPOCHS: Epochs = {
  epochs: [],
  current: [],
  payTos: [],
  pending: [],
  skipped: 0,
  pendingLooks: [],
}

/**
 * Adds a probe that returned terms. Probes are compared with the first receivers of the epoch, not with the previous
 * probe: adding a receiver and dropping the old one later is a change too. A new epoch needs twelve consecutive probes
 * from at least two client identities, since a seller that picks one of two receivers at random shows the same one twice
 * in a row half of the time.
 * @param most number of epochs that are kept. @default 51
 */
export function addEpoch(before: Epochs, probe: Observation, most = MAX_EPOCHS): Epochs {
  const sets = receiverSets(probe)
  const current = before.epochs.at(-1)
  const seen = toPending(probe, sets)
  if (current === undefined) return open(before, [seen], [probe], most)
  if (!receiversDiffer(current.receivers, sets)) {
    return {
      epochs: [...before.epochs.slice(0, -1), extend(current, seen)],
      current: keepLooks([...before.current, probe]),
      payTos: addPayTos(before.payTos, seen.payTos),
      pending: [],
      skipped: 0,
      pendingLooks: [],
    }
  }
  const fitting = before.pending.filter(({ receivers }) => !receiversDiffer(receivers, sets))
  const isWhole = fitting.length === before.pending.length
  const looks = before.pendingLooks.filter((look) => !receiversDiffer(receiverSets(look), sets))
  const pendingLooks = keepLooks([...looks, probe])
  const pending = [...fitting, seen]
  const skipped = isWhole ? before.skipped : 0
  const clients = new Set(pending.map(({ client }) => client)).size
  if (clients >= 2 && pending.length + skipped >= LIMITS.swapLooks)
    return open(before, pending, pendingLooks, most, skipped)
  const isFull = pending.length > MAX_PENDING
  return {
    ...before,
    pending: isFull ? pending.filter((_, index) => index !== MAX_PENDING / 2) : pending,
    skipped: isFull ? skipped + 1 : skipped,
    pendingLooks,
  }
}

function toPending(probe: Observation, receivers: ReceiverSets): Pending {
  const payTos = [...new Set(probe.offers.map(({ payTo }) => normalAddress(payTo)))].slice(0, 2)
  return { id: probe.id, at: probe.at, client: probe.client, receivers, main: paidOf(probe), payTos }
}

function paidOf(probe: Observation): Paid | null {
  const offer = mainOffer(probe)
  return offer === undefined ? null : { network: offer.network, payTo: offer.payTo }
}

function open(
  before: Epochs,
  probes: readonly Pending[],
  looks: readonly Observation[],
  most: number,
  skipped = 0,
): Epochs {
  const start: Epoch = {
    from: probes[0]?.at ?? 0,
    receivers: [],
    first: probes[0]?.main ?? null,
    last: null,
    ids: [],
    count: skipped,
    lastAt: 0,
  }
  const epochs = [...before.epochs, probes.reduce(extend, start)]
  return {
    ...NO_EPOCHS,
    epochs: keepEpochs(epochs, most),
    current: looks,
    payTos: probes.reduce<readonly string[]>((all, { payTos }) => addPayTos(all, payTos), []),
  }
}

function keepEpochs(epochs: readonly Epoch[], most: number): readonly Epoch[] {
  if (most > MAX_EPOCHS) return epochs
  let kept = epochs.slice(-most)
  const length = () => kept.reduce((sum, { receivers }) => sum + receivers.join().length, 0)
  while (kept.length > 3 && length() > MAX_EPOCHS_LENGTH) kept = kept.slice(1)
  return kept
}

function extend(epoch: Epoch, probe: Pending): Epoch {
  const added = probe.receivers.filter(([key]) => !epoch.receivers.some(([known]) => known === key))
  return {
    ...epoch,
    receivers: added.length === 0 ? epoch.receivers : [...epoch.receivers, ...added].slice(0, MAX_KEYS),
    last: probe.main,
    ids: epoch.ids.length < 2 ? [...epoch.ids, probe.id] : epoch.ids,
    count: epoch.count + 1,
    lastAt: probe.at,
  }
}

const addPayTos = (known: readonly string[], more: readonly string[]) =>
  more.every((payTo) => known.includes(payTo)) ? known : [...new Set([...known, ...more])].slice(0, 2)

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
