import { ACCOUNT_PATTERN, ADDRESS_PATTERN, asObject, BASE, toCaip2 } from '@touchstone402/shared'
import type { Announcement, Time } from './facts.ts'
import { recordId } from './ids.ts'
import { parseObject } from './json.ts'

/** Fields of the text that announces a new receiver. */
export type RotationTerms = Pick<Announcement, 'host' | 'network' | 'oldPayTo' | 'newPayTo'> & {
  /** As published, since it is part of the signed text. */
  readonly validFrom: string
}

/** A change of receiver as announced in `/.well-known/x402`, not verified yet. */
export type Rotation = Pick<RotationTerms, 'network' | 'newPayTo' | 'validFrom'> & {
  readonly validFromAt: Time
  readonly signature: `0x${string}`
}

/** Fields of the text by which a receiver signs for its host. */
export type ReceiverProofTerms = {
  readonly host: string
  readonly network: string
  readonly payTo: string
  /** As published, since it is part of the signed text. */
  readonly expires: string
}

/** A proof that the receiver signed for the host, as published in `/.well-known/x402`, not verified yet. */
export type ReceiverProof = Omit<ReceiverProofTerms, 'host'> & {
  readonly expiresAt: Time
  readonly signature: `0x${string}`
}

const MAX_STATEMENTS = 16
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/
const SIGNATURE = /^0x[0-9a-fA-F]{2,4096}$/

/**
 * Builds the text that the old receiver signs with `personal_sign` (EIP-191): lines joined by line feeds, none at the
 * end; EVM addresses in lower case, others as they are; the host with any non-default port; `validFrom` as published.
 */
export function rotationMessage({ host, network, oldPayTo, newPayTo, validFrom }: RotationTerms): string {
  return [
    'x402 receiver rotation',
    `host: ${host}`,
    `network: ${network}`,
    `old: ${writeAccount(oldPayTo)}`,
    `new: ${writeAccount(newPayTo)}`,
    `valid from: ${validFrom}`,
  ].join('\n')
}

/** Writes an account as the signed texts name it. Case is part of the accounts of other networks. */
const writeAccount = (account: string) => (/^0x/i.test(account) ? account.toLowerCase() : account)

/** Builds the text that a receiver signs for its host, in the form of {@link rotationMessage}. */
export function receiverProofMessage({ host, network, payTo, expires }: ReceiverProofTerms): string {
  return [
    'x402 receiver of host',
    `host: ${host}`,
    `network: ${network}`,
    `receiver: ${writeAccount(payTo)}`,
    `expires: ${expires}`,
  ].join('\n')
}

/**
 * Returns the amount of USDC on Base, in its smallest unit, by whose payment the old receiver announces the new one. It is
 * below a cent, and follows from the host and both receivers, so that dust and ordinary funding announce nothing. Its last
 * digit is never zero, as that of a price is: otherwise a refund would announce a receiver that was chosen to fit it.
 */
export function announcingAmount({
  host,
  network,
  oldPayTo,
  newPayTo,
}: Omit<RotationTerms, 'validFrom'>): bigint {
  const id = recordId('pay', host, network, writeAccount(oldPayTo), writeAccount(newPayTo))
  const number = BigInt(`0x${id.slice('pay_'.length)}`)
  return 10n * (number % 999n) + 1n + ((number / 999n) % 9n)
}

/**
 * Parses the rotations of a `/.well-known/x402`: `{newPayTo, validFrom, signature, network?}` at the top level, or a
 * list of them under `rotations`. Skips malformed entries and all after the sixteenth.
 */
export function readRotations(text: string): Rotation[] {
  const document = parseObject(text)
  return [document, ...listOf(document?.rotations)].flatMap((entry) => readRotation(entry) ?? [])
}

/**
 * Parses the receiver proofs of a `/.well-known/x402`: `{payTo, expires, signature, network?}` in a list under
 * `receivers`. Skips malformed entries and all after the sixteenth.
 */
export function readReceiverProofs(text: string): ReceiverProof[] {
  return listOf(parseObject(text)?.receivers).flatMap((entry) => readReceiverProof(entry) ?? [])
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, MAX_STATEMENTS - 1) : []

function readRotation(entry: unknown): Rotation | undefined {
  const fields = asObject(entry)
  if (fields === undefined) return undefined
  const { network = BASE, newPayTo, validFrom, signature } = fields
  if (!isNetwork(network) || !isAccount(newPayTo, network) || !isTime(validFrom) || !isSignature(signature))
    return undefined
  return { network, newPayTo, validFrom, validFromAt: Date.parse(validFrom), signature }
}

function readReceiverProof(entry: unknown): ReceiverProof | undefined {
  const fields = asObject(entry)
  if (fields === undefined) return undefined
  const { network = BASE, payTo, expires, signature } = fields
  if (!isNetwork(network) || !isAddress(payTo) || !isTime(expires) || !isSignature(signature))
    return undefined
  return { network, payTo, expires, expiresAt: Date.parse(expires), signature }
}

const isNetwork = (value: unknown): value is string =>
  typeof value === 'string' && toCaip2(value, 2) !== undefined
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && ADDRESS_PATTERN.test(value)
/** Whether a value may be paid on a network. */
export const isAccount = (value: unknown, network: string): value is string =>
  typeof value === 'string' && (network.startsWith('eip155:') ? ADDRESS_PATTERN : ACCOUNT_PATTERN).test(value)
/** Whether a value is a time as announcements state it: ISO 8601 in UTC. */
export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && ISO_TIME.test(value) && !Number.isNaN(Date.parse(value))

/** Whether a value is a signature in hexadecimal digits. */
export const isSignature = (value: unknown): value is `0x${string}` =>
  typeof value === 'string' && SIGNATURE.test(value)
