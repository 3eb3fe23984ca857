import { sameAddress } from '@touchstone402/shared'
import type { Announcement, Time } from '../facts/facts.ts'
import { recordId } from '../facts/ids.ts'
import { readHostFacts } from '../store/facts.ts'
import type { Store } from '../store/store.ts'
import type { ReceiverChange } from './announcement.ts'
import type { FieldFault, HostClaim } from './hostClaim.ts'

/** Returns why a claim cannot confirm a change; undefined if it can. */
export function whyUnconfirmable(
  { newPayTo, firstSeenAt }: ReceiverChange,
  claim: HostClaim,
): FieldFault | undefined {
  const fault = (parameter: string, code: string, message: string) => ({ parameter, code, message })
  if (newPayTo === null || firstSeenAt === null)
    return fault('endpoint', 'unchanged', 'expected an endpoint whose receiver changed within 30 days')
  if (claim.method !== 'dns')
    return fault(
      'secret',
      'not_dns',
      'expected the secret of a claim by DNS: whoever answers for the host can serve a file',
    )
  return claim.since < Date.parse(firstSeenAt)
    ? undefined
    : fault('secret', 'too_late', `expected a claim from before ${firstSeenAt}, when the receiver changed`)
}

/** Builds the record of a change that the owner of the host confirmed. */
export function confirmChange(change: ReceiverChange, claim: HostClaim, now: Time): Announcement {
  const { host, network, oldPayTo, newPayTo } = change
  return {
    kind: 'announcement',
    id: recordId('ann', 'host_confirmed', host, network, oldPayTo, newPayTo ?? '', now),
    at: now,
    host,
    network,
    oldPayTo,
    newPayTo: newPayTo ?? '',
    validFrom: now,
    basis: 'host_confirmed',
    claimedAt: claim.since,
    txHash: null,
  }
}

/** Ends what the owner of a host confirmed, once the claim by DNS has ended. */
export async function endConfirmations(
  store: Store,
  { host, method }: Pick<HostClaim, 'host' | 'method'>,
  now: Time,
): Promise<void> {
  if (method !== 'dns') return
  const { announcements } = await readHostFacts(store, host)
  const isEnded = (one: Announcement) =>
    announcements.some(
      (other) =>
        other.basis === 'host_confirmed' &&
        other.expiresAt !== undefined &&
        other.at >= one.at &&
        other.network === one.network &&
        sameAddress(other.newPayTo, one.newPayTo),
    )
  const open = announcements.filter((one) => one.basis === 'host_confirmed' && !isEnded(one))
  const ended = open.map((one) => ({ ...one, id: recordId('ann', one.id, now), at: now, expiresAt: now }))
  if (ended.length > 0) await store.write('append', ended)
}
