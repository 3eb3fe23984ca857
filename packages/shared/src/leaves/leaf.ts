import { decodeBase64, encodeBase64, LogError, MAX_ENTRY_BYTES, sha256 } from '@touchstone402/transparency'
import { isRecord } from '../base64Json.ts'
import { canonicalJson, type Json } from './canonicalJson.ts'

/** Kinds of leaves. Readers skip kinds that they do not know. */
export const LEAF_KINDS = [
  'decision',
  'day',
  'incident',
  'purchase',
  'map',
  'key',
  'inputs',
  'reply',
] as const

/**
 * One statement of the service. It names no seller: `named` is the SHA-256, in base64, of the opening that does, which is
 * published beside the log and can be deleted without breaking it.
 */
export type Leaf = {
  readonly kind: string
  /** ISO 8601. */
  readonly at: string
  readonly named?: string
  readonly [field: string]: Json | undefined
}

/** Names what a leaf is about; `salt` are 16 random bytes in base64, so that it cannot be guessed from the leaf. */
export type Opening = { readonly salt: string; readonly [field: string]: Json | undefined }

/** A leaf as it is logged, and the opening as it is published: both canonical JSON. */
export type LeafText = { readonly leaf: string; readonly opening: string | null }

/**
 * Writes a leaf, with a commitment to its opening.
 * @throws TypeError if it is larger than an entry of a log
 */
export function writeLeaf(leaf: Leaf, opening: Opening | null): LeafText {
  const opened = opening && canonicalJson(opening)
  const text = canonicalJson(opened === null ? leaf : { ...leaf, named: digestOf(opened) })
  // A UTF-16 unit takes at most three bytes, so most texts need not be encoded to be measured.
  if (3 * text.length > MAX_ENTRY_BYTES && toBytes(text).length > MAX_ENTRY_BYTES)
    throw new TypeError('a leaf has at most 65,535 bytes')
  return { leaf: text, opening: opened }
}

/** @throws LogError `malformed_leaf` unless it is canonical JSON of a leaf */
export function readLeaf(bytes: Uint8Array): Leaf {
  const leaf = readCanonical(bytes)
  if (typeof leaf?.kind !== 'string' || typeof leaf.at !== 'string') {
    throw new LogError('malformed_leaf', 'expected a leaf: canonical JSON with kind and at')
  }
  return {
    ...leaf,
    kind: leaf.kind,
    at: leaf.at,
    ...(typeof leaf.named === 'string' && { named: leaf.named }),
  }
}

/**
 * Opens a leaf's commitment.
 * @throws LogError `malformed_leaf` if the opening is not the one that the leaf commits to
 */
export function openLeaf(leaf: Leaf, opening: string): Opening {
  const opened = readCanonical(toBytes(opening))
  const salt = decodeBase64(`${opened?.salt}`)
  if (opened === undefined || salt?.length !== SALT_BYTES || digestOf(opening) !== leaf.named) {
    throw new LogError('malformed_leaf', 'the opening is not the one that the leaf commits to')
  }
  return { ...opened, salt: `${opened.salt}` }
}

/** Length of a salt in bytes. */
export const SALT_BYTES = 16

/** Returns the SHA-256 of a text in base64, as leaves name what is published beside the log. */
export function digestOf(text: string): string {
  return encodeBase64(sha256(toBytes(text)))
}

/** Joins a leaf and its opening for the `extra` line of a proof. */
export function joinLeaf({ leaf, opening }: LeafText): Uint8Array {
  return toBytes(opening === null ? leaf : `${leaf}\n${opening}`)
}

/** Splits what `joinLeaf` joined. @throws LogError `malformed_leaf` */
export function splitLeaf(extra: Uint8Array | undefined): LeafText & { readonly bytes: Uint8Array } {
  const [leaf = '', opening = null, ...more] = toText(extra ?? new Uint8Array())?.split('\n') ?? []
  if (leaf === '' || more.length > 0)
    throw new LogError('malformed_leaf', 'expected a leaf in the extra line')
  return { leaf, opening, bytes: toBytes(leaf) }
}

function readCanonical(bytes: Uint8Array): Record<string, Json | undefined> | undefined {
  const text = toText(bytes)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // Equal when it is written again, so it holds JSON only, and nothing twice.
    return isJsonObject(value) && canonicalJson(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

const isJsonObject = (value: unknown): value is { [key: string]: Json } => isRecord(value)

const encoder = new TextEncoder()
const toBytes = (text: string) => encoder.encode(text)

function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
