import { ADDRESS_PATTERN, sameAddress } from '@touchstone402/shared'
import { describeBadSignature, findSigner } from '../audit/isSignedBy.ts'
import type { Announcement, Time } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import {
  isSignature,
  isTime,
  type Rotation,
  readRotations,
  rotationMessage,
} from '../domain/facts/rotation.ts'
import { startOfMinute, toTimestamp } from '../domain/facts/times.ts'
import { LIMITS } from '../domain/judge/spec.ts'
import type { FieldFault } from './hostClaim.ts'

/** A change of receiver that the old receiver can announce by a signature. */
export type ReceiverChange = {
  readonly host: string
  /** The endpoints that it applies to, at least one. */
  readonly endpoints: readonly string[]
  readonly network: string
  readonly oldPayTo: string
  /** The new receiver that was measured; null before it is in use. */
  readonly newPayTo: string | null
  /** When the new receiver was first measured; null before it is in use. */
  readonly seenAt: Time | null
  /** A `validFrom` that is accepted. */
  readonly validFrom: string
  /** Time from which the change counts as announced; null if it does not. */
  readonly announcedFrom: Time | null
}

/** A verified announcement as it is to be published, or what is wrong with it. */
export type CheckedAnnouncement =
  | { readonly ok: true; readonly entry: Omit<Rotation, 'validFromAt'> }
  | { readonly ok: false; readonly fault: FieldFault }

/** Maximum number of changes that are listed: a host may draw a receiver for each of its endpoints. */
const MAX_CHANGES = 20
/** Wrong signatures after which no more of a document are checked, since each costs milliseconds. */
const MAX_BAD_SIGNATURES = 4

/** Field of the faults of a published announcement, which the sender did not fill in. */
export const PUBLISHED = 'published'

/**
 * Lists the receiver changes of a host within 30 days, newest first, then those that it could announce from now on; at
 * most 20. Endpoints with the same receivers share one. Receivers that cannot sign by EIP-191 are left out.
 * @param announcements those that were found at the host
 */
export function listReceiverChanges(
  states: readonly EndpointState[],
  announcements: readonly Announcement[],
  now: Time,
): ReceiverChange[] {
  const changes = new Map<string, ReceiverChange>()
  for (const state of states) {
    const change = readChange(state, announcements, now)
    if (change === undefined) continue
    const { network, oldPayTo, newPayTo } = change
    const key = [network, oldPayTo.toLowerCase(), newPayTo?.toLowerCase()].join()
    const known = changes.get(key)
    // The earliest use bounds `valid from` for all of them.
    const earliest = known !== undefined && (known.seenAt ?? now) <= (change.seenAt ?? now) ? known : change
    changes.set(key, { ...earliest, endpoints: [...(known?.endpoints ?? []), state.endpoint] })
  }
  const newestFirst = [...changes.values()].sort((one, other) => (other.seenAt ?? 0) - (one.seenAt ?? 0))
  return newestFirst.slice(0, MAX_CHANGES)
}

function readChange(
  state: EndpointState,
  announcements: readonly Announcement[],
  now: Time,
): ReceiverChange | undefined {
  const { endpoint, host, network, payTo, payToHistory } = state
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
  const announced = announcements.find(
    (one) =>
      one.basis !== 'receiver_proof' &&
      one.network === network &&
      sameAddress(one.oldPayTo, oldPayTo) &&
      sameAddress(one.newPayTo, newPayTo ?? ''),
  )
  const announcedFrom = announced?.validFrom ?? null
  return { host, endpoints: [endpoint], network, oldPayTo, newPayTo, seenAt, validFrom, announcedFrom }
}

/** Returns the exact text to sign. Of a receiver that is not in use yet, the owner fills in the address. */
export function announcementText(
  change: Omit<ReceiverChange, 'endpoints' | 'seenAt' | 'announcedFrom'>,
): string {
  return rotationMessage({ ...change, newPayTo: change.newPayTo ?? 'address of the new receiver' })
}

/** Checks a signed text and its signature by the rules that the audit applies to published ones. */
export async function checkAnnouncement(
  change: ReceiverChange,
  text: string,
  signature: string,
): Promise<CheckedAnnouncement> {
  const read = (label: string) => text.split(`\n${label}: `)[1]?.split('\n')[0] ?? ''
  const [newPayTo, validFrom] = [change.newPayTo ?? read('new'), read('valid from')]
  if (!ADDRESS_PATTERN.test(newPayTo) || sameAddress(newPayTo, change.oldPayTo)) {
    return refuse('text', 'malformed', 'expected a line "new: …" with another address than the old receiver')
  }
  if (!isTime(validFrom)) {
    return refuse(
      'text',
      'malformed',
      'expected a line "valid from: …" with a time such as 2026-01-31T12:00:00Z',
    )
  }
  const expected = rotationMessage({ ...change, newPayTo, validFrom })
  if (text !== expected) {
    const lines = text.split('\n')
    const line = expected.split('\n').findIndex((one, index) => one !== lines[index])
    const message =
      line < 0
        ? 'expected no text after the sixth line'
        : `line ${line + 1} must be "${expected.split('\n')[line]}"`
    return refuse('text', 'other_text', message)
  }
  if (change.seenAt !== null && Date.parse(validFrom) > change.seenAt) {
    const message = `valid from must not be later than ${toTimestamp(change.seenAt)}, the first use`
    return refuse('text', 'too_late', message)
  }
  return checkSignature(change, text, signature, { newPayTo: newPayTo.toLowerCase(), validFrom })
}

async function checkSignature(
  { network, oldPayTo }: ReceiverChange,
  text: string,
  signature: string,
  terms: Pick<Rotation, 'newPayTo' | 'validFrom'>,
): Promise<CheckedAnnouncement> {
  if (!isSignature(signature)) return refuse('signature', 'malformed', 'expected 0x and hexadecimal digits')
  const signer = await findSigner(text, signature)
  if (signer === undefined) {
    const otherWay = 'a contract announces by paying the new receiver beforehand'
    return refuse('signature', 'malformed', describeBadSignature(signature, otherWay))
  }
  if (sameAddress(signer, oldPayTo)) return { ok: true, entry: { network, ...terms, signature } }
  const message = `for this text the signature is by ${signer}, not by the old receiver ${oldPayTo}: another key signed, or another text`
  return refuse('signature', 'other_key', message)
}

/** Checks the announcement that a host publishes in `/.well-known/x402`. @param document null if it has none */
export async function checkPublished(
  change: ReceiverChange,
  url: string,
  document: string | null,
): Promise<CheckedAnnouncement> {
  if (document === null) {
    return refuse(PUBLISHED, 'missing', `${url} could not be read: it must answer 200 without a login`)
  }
  const { newPayTo } = change
  const all = readRotations(document)
  const fitting = all.filter((one) => newPayTo === null || sameAddress(one.newPayTo, newPayTo))
  let worst = refuse(
    PUBLISHED,
    'missing',
    `${url} has no newPayTo with validFrom and signature, at the top level or in a list under rotations`,
  )
  let bad = 0
  for (const one of fitting.length > 0 ? fitting : all.slice(0, 1)) {
    const checked = await checkAnnouncement(change, rotationMessage({ ...change, ...one }), one.signature)
    if (checked.ok) return checked
    if (bad === 0) worst = refuse(PUBLISHED, checked.fault.code, checked.fault.message)
    if (++bad === MAX_BAD_SIGNATURES) break
  }
  return worst
}

const refuse = (parameter: string, code: string, message: string): CheckedAnnouncement => ({
  ok: false,
  fault: { parameter, code, message },
})
