import { ADDRESS_PATTERN, sameAddress } from '@touchstone402/shared'
import type { Time } from '../../../domain/facts/facts.ts'
import type { EndpointState } from '../../../domain/facts/hostDocument.ts'
import { rotationMessage } from '../../../domain/facts/rotation.ts'
import { startOfMinute, toTimestamp } from '../../../domain/facts/times.ts'
import { LIMITS } from '../../../domain/judge/spec.ts'

/** A change of receiver that can be announced. */
export type RotationCase = {
  readonly endpoint: string
  readonly host: string
  readonly network: string
  readonly oldPayTo: string
  /** The new receiver that was seen; null before it is in use. */
  readonly newPayTo: string | null
  /** When the new receiver was first seen; null before it is in use. */
  readonly seenAt: Time | null
  /** A `validFrom` that is accepted. */
  readonly validFrom: string
}

/**
 * Returns the receiver change of an endpoint within 30 days, or else the one that it could announce from now on. Returns
 * undefined if no receiver is known, or one of them cannot sign by EIP-191.
 */
export function readCase(
  { endpoint, host, network, payTo, payToHistory }: EndpointState,
  now: Time,
): RotationCase | undefined {
  const [before, after] = payToHistory.slice(-2)
  const isChanged =
    before !== undefined &&
    after !== undefined &&
    !sameAddress(before.payTo, after.payTo) &&
    now - Date.parse(after.from) < LIMITS.changedMs
  const oldPayTo = isChanged ? before.payTo : payTo
  const newPayTo = isChanged ? after.payTo : null
  const seenAt = isChanged ? Date.parse(after.from) : null
  if (network === null || oldPayTo === null || !ADDRESS_PATTERN.test(oldPayTo)) return undefined
  if (newPayTo !== null && !ADDRESS_PATTERN.test(newPayTo)) return undefined
  const validFrom = toTimestamp(startOfMinute(seenAt ?? now)).replace('.000Z', 'Z')
  return { endpoint, host, network, oldPayTo, newPayTo, seenAt, validFrom }
}

/** Returns the exact text to sign. @param planned the new receiver, if none was seen */
export function textToSign(rotation: RotationCase, planned?: string): string | undefined {
  const newPayTo = rotation.newPayTo ?? planned
  return newPayTo === undefined ? undefined : rotationMessage({ ...rotation, newPayTo })
}
