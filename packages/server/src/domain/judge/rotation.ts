import { ADDRESS_PATTERN, asObject, BASE } from '@touchstone402/shared'
import type { Announcement, Time } from '../facts/facts.ts'
import { parseObject } from '../facts/json.ts'

/** Fields of the signed text. */
export type RotationTerms = Pick<Announcement, 'host' | 'network' | 'oldPayTo' | 'newPayTo'> & {
  /** As published, since it is part of the signed text. */
  readonly validFrom: string
}

/** A change of receiver as announced in `/.well-known/x402`, not verified yet. */
export type Rotation = Pick<RotationTerms, 'network' | 'newPayTo' | 'validFrom'> & {
  readonly validFromAt: Time
  readonly signature: `0x${string}`
}

const MAX_ROTATIONS = 16
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/
const SIGNATURE = /^0x[0-9a-fA-F]{2,4096}$/
const CAIP2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/

/**
 * Builds the text that the old receiver signs with `personal_sign` (EIP-191): lines joined by line feeds, none at the
 * end; addresses in lower case; the host with any non-default port; `validFrom` as published.
 */
export function rotationMessage({ host, network, oldPayTo, newPayTo, validFrom }: RotationTerms): string {
  return [
    'x402 receiver rotation',
    `host: ${host}`,
    `network: ${network}`,
    `old: ${oldPayTo.toLowerCase()}`,
    `new: ${newPayTo.toLowerCase()}`,
    `valid from: ${validFrom}`,
  ].join('\n')
}

/**
 * Parses the rotations of a `/.well-known/x402`: `{newPayTo, validFrom, signature, network?}` at the top level, or a
 * list of them under `rotations`. Skips malformed entries and all after the sixteenth.
 */
export function readRotations(text: string): Rotation[] {
  const document = parseObject(text)
  if (document === undefined) return []
  const listed = Array.isArray(document.rotations) ? document.rotations : []
  return [document, ...listed].slice(0, MAX_ROTATIONS).flatMap((entry: unknown) => {
    const rotation = readRotation(entry)
    return rotation === undefined ? [] : [rotation]
  })
}

function readRotation(entry: unknown): Rotation | undefined {
  const fields = asObject(entry)
  if (fields === undefined) return undefined
  const { network = BASE, newPayTo, validFrom, signature } = fields
  if (typeof network !== 'string' || !CAIP2.test(network)) return undefined
  if (typeof newPayTo !== 'string' || !ADDRESS_PATTERN.test(newPayTo)) return undefined
  if (typeof validFrom !== 'string' || !ISO_TIME.test(validFrom)) return undefined
  const validFromAt = Date.parse(validFrom)
  if (Number.isNaN(validFromAt) || !isSignature(signature)) return undefined
  return { network, newPayTo, validFrom, validFromAt, signature }
}

const isSignature = (value: unknown): value is `0x${string}` =>
  typeof value === 'string' && SIGNATURE.test(value)
