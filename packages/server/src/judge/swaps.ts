import type { Announcement, Time } from '../facts/facts.ts'
import { isAnnounced, isNamed } from './announced.ts'
import type { Epoch } from './epochs.ts'
import { addressesOf } from './offers.ts'
import { LIMITS } from './spec.ts'

/** A change of receiver. */
export type Swap<Side = Epoch> = { readonly before: Side; readonly after: Side }

/** A change of receiver that the old receiver did not announce, and mitigating evidence for it, if any. */
export type FoundSwap =
  | { readonly swap: Swap; readonly excuse: Excuse | null }
  | { readonly swap: null; readonly excuse: null }

export const NO_SWAP: FoundSwap = { swap: null, excuse: null }

/**
 * Finds the newest unannounced change of receiver without mitigating evidence within 30 days, or else the newest with it:
 * a later change that is less serious does not hide a theft.
 * @param lastAt time of the last probe, by which changes expire
 */
export function findSwap(
  epochs: readonly Epoch[],
  announcements: readonly Announcement[],
  lastAt: Time,
  now: Time,
): FoundSwap {
  const found = listSwaps(epochs, announcements, lastAt).map((swap) => ({
    swap,
    excuse: findExcuse(swap, announcements, now),
  }))
  return found.find(({ excuse }) => excuse === null) ?? found[0] ?? NO_SWAP
}

/** Lists the unannounced changes of receiver within 30 days, the newest first. */
export function listSwaps(
  epochs: readonly Epoch[],
  announcements: readonly Announcement[],
  lastAt: Time,
): Swap[] {
  return epochs
    .flatMap((after, index): Swap[] => {
      const before = epochs[index - 1]
      if (before === undefined || lastAt - after.from >= LIMITS.changedMs) return []
      return isAnnounced(before, after, announcements) ? [] : [{ before, after }]
    })
    .reverse()
}

/** Evidence for an unannounced change that makes it less serious: a long overlap, or the word of the host's owner. */
export type Excuse = 'handed_over' | 'confirmed_by_host'

/**
 * Returns the mitigating evidence for an unannounced change: both receivers stood together for a week; or the owner of the host, who had
 * claimed it by DNS before the change and does so still, confirmed it, and it stayed for a week.
 */
function findExcuse(
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
