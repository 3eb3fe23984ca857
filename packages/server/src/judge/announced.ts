import { sameAddress } from '@touchstone402/shared'
import type { Announcement, Time } from '../facts/facts.ts'
import type { Epoch, Paid } from './epochs.ts'
import { addressesOf, normalAddress } from './offers.ts'

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
export function isNamed(
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
            isOn(network, key) && old.has(normalAddress(oldPayTo)) && normalAddress(newPayTo) === address,
        ),
    ),
  )
}

/** Whether an announcement for a network holds at an offer key. An address on one EVM network is one on all. */
const isOn = (network: string, key: string) =>
  key.startsWith(`${network} `) || (network.startsWith('eip155:') && key.startsWith('eip155:'))

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
