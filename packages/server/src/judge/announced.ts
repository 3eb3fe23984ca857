import { sameAddress } from '@touchstone402/shared'
import type { Announcement, Time } from '../facts/facts.ts'
import type { Epoch, Paid } from './epochs.ts'
import { addressesOf, normalAddress } from './offers.ts'
import { LIMITS } from './spec.ts'

/** A change of receiver. */
export type Swap<Side = Epoch> = { readonly before: Side; readonly after: Side }

/** Bases on which the old receiver itself speaks for a change. Dust and ordinary funding announce nothing. */
const BY_OLD_RECEIVER: ReadonlySet<Announcement['basis']> = new Set(['signature', 'payment_on_chain'])

/** Whether the old receiver speaks for a change. */
export const isByOldReceiver = ({ basis }: Announcement) => BY_OLD_RECEIVER.has(basis)

/** Whether each new receiver was announced by a former one, on its network, with `validFrom` before the epoch began. */
export function isAnnounced(
  before: Pick<Epoch, 'receivers'>,
  after: Pick<Epoch, 'receivers' | 'from'>,
  announcements: readonly Announcement[],
): boolean {
  const spoken = announcements.filter((one) => isByOldReceiver(one) && one.validFrom <= after.from)
  return isNamed(before, after, spoken)
}

/** Whether announcements name each new receiver of a change, and a former one, on its network. */
function isNamed(
  before: Pick<Epoch, 'receivers'>,
  after: Pick<Epoch, 'receivers'>,
  announcements: readonly Announcement[],
): boolean {
  const old = addressesOf(before.receivers)
  return after.receivers.every(([key, receivers]) =>
    receivers.every(
      (address) =>
        old.has(address) ||
        announcements.some(
          ({ network, oldPayTo, newPayTo }) =>
            key.startsWith(`${network} `) &&
            old.has(normalAddress(oldPayTo)) &&
            normalAddress(newPayTo) === address,
        ),
    ),
  )
}

/** Returns the last change of receiver within 30 days that the old receiver did not announce. */
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

/** Evidence for an unannounced change that makes it less serious: a long overlap, or the word of the host's owner. */
export type Excuse = 'handed_over' | 'confirmed_by_host'

/**
 * Returns what excuses an unannounced change: both receivers stood together for a week; or the owner of the host, who had
 * claimed it by DNS before the change and does so still, confirmed it, and it stayed for a week.
 */
export function findExcuse(
  { before, after }: Swap,
  announcements: readonly Announcement[],
  now: Time,
): Excuse | null {
  const old = addressesOf(before.receivers)
  const others = [...addressesOf(after.receivers)].filter((payTo) => !old.has(payTo))
  const stoodFor = (payTo: string) => {
    const together = before.added.find((one) => one.payTo === payTo)
    return together === undefined ? 0 : together.to - together.from
  }
  if (others.length > 0 && others.every((payTo) => stoodFor(payTo) >= LIMITS.handedOverMs))
    return 'handed_over'
  const isOwners = (one: Announcement) =>
    one.basis === 'host_confirmed' &&
    (one.claimedAt ?? now) < after.from &&
    (one.expiresAt ?? Number.POSITIVE_INFINITY) > now
  const newest = [...new Map(announcements.map((one) => [confirmationKey(one), one])).values()]
  return now - after.from >= LIMITS.confirmedByHostMs && isNamed(before, after, newest.filter(isOwners))
    ? 'confirmed_by_host'
    : null
}

/** A later record of the same confirmation replaces the earlier one, as when the claim has lapsed. */
const confirmationKey = ({ id, basis, network, oldPayTo, newPayTo }: Announcement) =>
  basis === 'host_confirmed' ? [network, oldPayTo, newPayTo].join(' ').toLowerCase() : id

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
