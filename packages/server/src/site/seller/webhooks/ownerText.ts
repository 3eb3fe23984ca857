import { ADDRESS_PATTERN, sameAddress } from '@touchstone402/shared'
import { describeBadSignature, findSigner } from '../../../audit/isSignedBy.ts'
import type { Time } from '../../../domain/facts/facts.ts'
import type { EndpointState } from '../../../domain/facts/hostDocument.ts'
import { isSignature, isTime } from '../../../domain/facts/rotation.ts'
import { HOUR, MINUTE, toTimestamp } from '../../../domain/facts/times.ts'
import { offeredReceivers } from '../../../domain/publish/offeredReceivers.ts'

/** What the text by which a receiver asks for a webhook names. */
export type OwnerTerms = {
  /** Origin of this service, so that the text is of no use at another. */
  readonly service: string
  readonly host: string
  readonly url: string
  /** ISO 8601 in UTC, as it is signed. */
  readonly date: string
}

/** What is wrong with a field. */
export type OwnerFault = { readonly parameter: string; readonly code: string; readonly message: string }

const VALID_MS = HOUR
/** The clock of a signer that writes its own date may be ahead. */
const AHEAD_MS = MINUTE

/** Builds the text to sign by `personal_sign` (EIP-191): lines joined by line feeds, none at the end. */
export function ownerText({ service, host, url, date }: OwnerTerms): string {
  return ['x402 webhook', `service: ${service}`, `host: ${host}`, `url: ${url}`, `date: ${date}`].join('\n')
}

/** Returns the date of a text that is signed now. */
export const dateOf = (now: Time): string => toTimestamp(now).replace(/\.\d+Z$/, 'Z')

/** Whether a text of this date is accepted. */
export function isCurrentDate(date: string, now: Time): boolean {
  const age = isTime(date) ? now - Date.parse(date) : Number.NaN
  return age >= -AHEAD_MS && age <= VALID_MS
}

/** Returns the receivers that live endpoints of a host offer, in lower case, as far as they can sign. */
export function receiversOf(endpoints: readonly EndpointState[], now: Time): readonly string[] {
  const live = endpoints.filter(
    ({ status, expiresAt }) => status === 'live' && (expiresAt === null || expiresAt > now),
  )
  return [
    ...new Set(
      offeredReceivers(live)
        .filter((one) => ADDRESS_PATTERN.test(one))
        .map((one) => one.toLowerCase()),
    ),
  ]
}

/** Checks that one of the receivers signed the text. Returns undefined if it did. */
export async function findOwnerFault(
  terms: OwnerTerms,
  { address, signature }: { readonly address: string; readonly signature: string },
  receivers: readonly string[],
  now: Time,
): Promise<OwnerFault | undefined> {
  const fault = (parameter: string, code: string, message: string) => ({
    parameter,
    code,
    message: `${parameter}: ${message}`,
  })
  const { date } = terms
  if (!isTime(date))
    return fault('date', 'malformed', 'expected the time in the text, such as 2026-01-31T12:00:00Z')
  if (!isCurrentDate(date, now)) {
    return fault('date', 'expired', `a text is valid for one hour, and it is ${dateOf(now)} now`)
  }
  if (!ADDRESS_PATTERN.test(address))
    return fault('address', 'malformed', 'expected 0x and 40 hexadecimal digits')
  if (!receivers.some((receiver) => sameAddress(receiver, address))) {
    return fault(
      'address',
      'wrong_receiver',
      `no live endpoint of ${terms.host} offers to be paid at ${address}`,
    )
  }
  if (!isSignature(signature)) return fault('signature', 'malformed', 'expected 0x and hexadecimal digits')
  const signer = await findSigner(ownerText(terms), signature)
  if (signer === undefined) {
    return fault('signature', 'malformed', describeBadSignature(signature))
  }
  if (sameAddress(signer, address)) return undefined
  return fault(
    'signature',
    'other_key',
    `for this text the signature is by ${signer}: another key signed, or another text was signed`,
  )
}
