import { ADDRESS_PATTERN, sameAddress } from '@touchstone402/shared'
import { describeBadSignature, findSigner } from '../audit/isSignedBy.ts'
import type { Announcement, Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import {
  announcingAmount,
  isAccount,
  isSignature,
  isTime,
  type Rotation,
  readRotations,
  rotationMessage,
} from '../facts/rotation.ts'
import { startOfMinute, toTimestamp } from '../facts/times.ts'
import { isByOldReceiver } from '../judge/announced.ts'
import { normalAddress } from '../judge/offers.ts'
import { LIMITS } from '../judge/spec.ts'
import type { FieldFault } from './hostClaim.ts'

/** A change of receiver that the old receiver can announce by a signature. Times are ISO 8601. */
export type ReceiverChange = {
  readonly host: string
  /** The endpoints of the host that it applies to, at least one. */
  readonly endpoints: readonly string[]
  readonly network: string
  readonly oldPayTo: string
  /** The new receiver that was measured; null before it is in use. */
  readonly newPayTo: string | null
  /** When the new receiver was first measured; null before it is in use. */
  readonly firstSeenAt: string | null
  /** A `validFrom` that is accepted. */
  readonly validFrom: string
  /** The exact text to sign. Of a receiver that is not in use yet, the owner fills in the address. */
  readonly text: string
  /** Time from which the change counts as announced; null if it does not. */
  readonly announcedFrom: string | null
  /** Amount of USDC on Base, in its smallest unit, that announces the new receiver before its first use; null without one. */
  readonly amountAtomic: string | null
}

/** A verified announcement as it is to be published, or its error. */
export type CheckedAnnouncement = Omit<Rotation, 'validFromAt'> | FieldFault

/** Maximum number of changes that are listed: a host may draw a receiver for each of its endpoints. */
const MAX_CHANGES = 20
/** Wrong signatures after which no more of a document are checked, since each costs milliseconds. */
const MAX_BAD_SIGNATURES = 4

/** Field of the faults of a published announcement, which the sender did not fill in. */
const PUBLISHED = 'published'

/**
 * Lists the receiver changes of a host within 30 days, newest first, then those that it could announce from now on; at
 * most 20. Endpoints with the same receivers share one. Receivers that cannot sign by EIP-191 are left out.
 * @param announcements those that were found at the host
 * @param planned new receiver of changes before its use. @default not known
 */
export function listReceiverChanges(
  states: readonly EndpointState[],
  announcements: readonly Announcement[],
  now: Time,
  planned?: string,
): ReceiverChange[] {
  const changes = new Map<string, ReceiverChange>()
  for (const state of states) {
    const change = readChange(state, announcements, now, planned)
    if (change === undefined) continue
    const key = [change.network, change.oldPayTo, change.newPayTo].join().toLowerCase()
    const known = changes.get(key)
    // The earliest use bounds `valid from` for all of them.
    const earliest =
      known !== undefined && (known.firstSeenAt ?? '') <= (change.firstSeenAt ?? '') ? known : change
    changes.set(key, { ...earliest, endpoints: [...(known?.endpoints ?? []), state.endpoint] })
  }
  const seenAt = ({ firstSeenAt }: ReceiverChange) => Date.parse(firstSeenAt ?? '1970-01-01')
  return [...changes.values()].sort((one, other) => seenAt(other) - seenAt(one)).slice(0, MAX_CHANGES)
}

function readChange(
  { endpoint, host, network, payTo, payToHistory }: EndpointState,
  announcements: readonly Announcement[],
  now: Time,
  planned: string | undefined,
): ReceiverChange | undefined {
  const [before, after] = payToHistory.slice(-2)
  const isChanged =
    before !== undefined &&
    after !== undefined &&
    !sameAddress(before.payTo, after.payTo) &&
    now - Date.parse(after.from) < LIMITS.changedMs
  const oldPayTo = isChanged ? before.payTo : payTo
  const newPayTo = isChanged ? after.payTo : null
  const firstSeenAt = isChanged ? toTimestamp(Date.parse(after.from)) : null
  if (network === null || oldPayTo === null || !ADDRESS_PATTERN.test(oldPayTo)) return undefined
  const seenAt = firstSeenAt === null ? now : Date.parse(firstSeenAt)
  const validFrom = toTimestamp(startOfMinute(seenAt)).replace('.000Z', 'Z')
  const announced = announcements.find(
    (one) =>
      isByOldReceiver(one) &&
      one.network === network &&
      sameAddress(one.oldPayTo, oldPayTo) &&
      sameAddress(one.newPayTo, newPayTo ?? ''),
  )
  const announcedFrom = announced === undefined ? null : toTimestamp(announced.validFrom)
  const terms = { host, network, oldPayTo, validFrom }
  const named = newPayTo ?? (planned !== undefined && isAccount(planned, network) ? planned : null)
  const text = rotationMessage({ ...terms, newPayTo: named ?? 'address of the new receiver' })
  const amountAtomic = named === null ? null : `${announcingAmount({ ...terms, newPayTo: named })}`
  return { ...terms, endpoints: [endpoint], newPayTo, firstSeenAt, text, announcedFrom, amountAtomic }
}

/** Checks a signed text and its signature by the rules that the audit applies to published ones. */
export async function checkAnnouncement(
  change: ReceiverChange,
  text: string,
  signature: string,
): Promise<CheckedAnnouncement> {
  const { network, oldPayTo } = change
  const read = (label: string) => text.split(`\n${label}: `)[1]?.split('\n')[0] ?? ''
  const [newPayTo, validFrom] = [change.newPayTo ?? read('new'), read('valid from')]
  if (!isAccount(newPayTo, network) || sameAddress(newPayTo, oldPayTo)) {
    return fault('text', 'malformed', 'expected a line "new: …" with another address than the old receiver')
  }
  if (!isTime(validFrom)) {
    const message = 'expected a line "valid from: …" with a time such as 2026-01-31T12:00:00Z'
    return fault('text', 'malformed', message)
  }
  const expected = rotationMessage({ ...change, newPayTo, validFrom })
  if (text !== expected) {
    const lines = text.split('\n')
    const line = expected.split('\n').findIndex((one, index) => one !== lines[index])
    const message =
      line < 0
        ? 'expected no text after the sixth line'
        : `line ${line + 1} must be "${expected.split('\n')[line]}"`
    return fault('text', 'other_text', message)
  }
  if (change.firstSeenAt !== null && Date.parse(validFrom) > Date.parse(change.firstSeenAt)) {
    return fault('text', 'too_late', `valid from must not be later than ${change.firstSeenAt}, the first use`)
  }
  if (!isSignature(signature)) return fault('signature', 'malformed', 'expected 0x and hexadecimal digits')
  const signer = await findSigner(text, signature)
  if (signer === undefined) {
    const otherWay =
      'a contract announces by paying the new receiver the exact amount of the owner page beforehand'
    return fault('signature', 'malformed', describeBadSignature(signature, otherWay))
  }
  if (!sameAddress(signer, oldPayTo)) {
    const message = `for this text the signature is by ${signer}, not by the old receiver ${oldPayTo}: another key signed, or another text`
    return fault('signature', 'other_key', message)
  }
  return { network, newPayTo: normalAddress(newPayTo), validFrom, signature }
}

/** Checks the announcement that a host publishes in `/.well-known/x402`. @param document null if it has none */
export async function checkPublished(
  change: ReceiverChange,
  url: string,
  document: string | null,
): Promise<CheckedAnnouncement> {
  if (document === null) {
    return fault(PUBLISHED, 'missing', `${url} could not be read: it must answer 200 without a login`)
  }
  const { newPayTo } = change
  const all = readRotations(document)
  const fitting = all.filter((one) => newPayTo === null || sameAddress(one.newPayTo, newPayTo))
  const tried = fitting.length > 0 ? fitting.slice(0, MAX_BAD_SIGNATURES) : all.slice(0, 1)
  let first: FieldFault | undefined
  for (const one of tried) {
    const checked = await checkAnnouncement(change, rotationMessage({ ...change, ...one }), one.signature)
    if (!('code' in checked)) return checked
    first ??= { ...checked, parameter: PUBLISHED }
  }
  const missing = `${url} has no newPayTo with validFrom and signature, at the top level or in a list under rotations`
  return first ?? fault(PUBLISHED, 'missing', missing)
}

const fault = (parameter: string, code: string, message: string): FieldFault => ({ parameter, code, message })
