import { isCanonicalUsdc, sameAddress } from '@touchstone402/shared'
import type { Observation, ReceiverRecord, Time } from '../facts/facts.ts'
import type { Evidence } from './evidence.ts'
import { listNamedReceivers } from './offers.ts'
import { LIMITS } from './spec.ts'

/** Returns the newest chain record with an answer of the oracle, which one without an answer does not revoke. */
const findAnswered = (records: readonly ReceiverRecord[], now: Time) =>
  records.findLast(
    ({ at, sanctions }) => at > now - LIMITS.receiverRecordMs && (sanctions?.isListed ?? null) !== null,
  )

/** Returns the newest chain record of a receiver with the oracle's answer that the verdict is based on. */
export function findShownRecord(records: readonly ReceiverRecord[], now: Time): ReceiverRecord | undefined {
  const last = records.at(-1)
  const sanctions = findAnswered(records, now)?.sanctions
  return last === undefined || sanctions === undefined ? last : { ...last, sanctions }
}

/** Returns the chain records of receivers on a sanctions list; null unless each of the last two probes names one. */
export function findSanctioned({ latest, recordsOf, now }: Evidence): readonly ReceiverRecord[] | null {
  const listed = latest.map((probe) =>
    listNamedReceivers(probe).flatMap(({ network, payTo }) => {
      const answered = findAnswered(recordsOf(network, payTo), now)
      return answered?.sanctions?.isListed === true ? [answered] : []
    }),
  )
  return listed.length > 0 && listed.every(({ length }) => length > 0) ? [...new Set(listed.flat())] : null
}

/**
 * Whether a listing claimed calls at least a week ago, but the current receiver has no receipts in the whole life of
 * the token. Where an offer or the claim names another network, token or receiver, the calls may have been paid there.
 * A claim that names the receiver is as old as its directory states; any other claim may be about a former receiver.
 */
export function isNeverPaid({ receiver, listings, probes, epochs, now }: Evidence): boolean {
  if (receiver?.receiptsEver !== 0 || receiver.isWholeLife !== true) return false
  const isRead = (network: string | null, asset: string | null) =>
    (network ?? receiver.network) === receiver.network &&
    (asset === null || isCanonicalUsdc(receiver.network, asset))
  const isOther = ({ offers }: Observation) => offers.some(({ network, asset }) => !isRead(network, asset))
  if (probes.some(isOther)) return false
  const epoch = epochs.at(-1)
  const isPaid = ({ offers }: Observation) =>
    offers.every(({ payTo }) => sameAddress(payTo, receiver.address))
  if (epoch?.probes.every(isPaid) === false) return false
  const weekAgo = now - LIMITS.neverPaidListingAgeMs
  const namedAt = epoch?.from ?? now
  return listings.some(({ claims, at, claimedAt }) => {
    if (claims.calls === null || claims.calls < LIMITS.neverPaidCalls) return false
    if (!isRead(claims.network, claims.asset)) return false
    if (claims.payTo === null) return Math.max(at, namedAt) < weekAgo
    return sameAddress(claims.payTo, receiver.address) && Math.min(at, claimedAt ?? at) < weekAgo
  })
}
