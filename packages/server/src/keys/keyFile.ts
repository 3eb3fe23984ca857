import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { calculateJwkThumbprint } from 'jose'
import { Low } from 'lowdb'
import * as z from 'zod/mini'
import { createFile, documentFile } from '../lib/durableFiles.ts'

const part = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/))
const PublicJwkSchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: part,
  kid: part,
})
const FormerKeySchema = z.object({ publicJwk: PublicJwkSchema, until: z.number() })
const KeyFileSchema = z.object({
  version: z.literal(1),
  current: z.extend(PublicJwkSchema, { d: part }),
  former: z.array(FormerKeySchema),
})

/** A public Ed25519 key (RFC 8037); its `kid` is the RFC 7638 thumbprint. */
export type PublicJwk = z.infer<typeof PublicJwkSchema>

/** The key that signs. */
export type SigningKey = { readonly privateKey: KeyObject; readonly publicJwk: PublicJwk }

/** A retired key, published until the last decision it signed expires (Unix time in ms). */
export type FormerKey = z.infer<typeof FormerKeySchema>

/** Content of the key file. */
export type Keys = { readonly current: SigningKey; readonly former: readonly FormerKey[] }

/** Generates an Ed25519 key. */
export async function makeKey(): Promise<SigningKey> {
  return signingKey(generateKeyPairSync('ed25519').privateKey)
}

/**
 * Reads the key file. Returns undefined if there is none.
 * @throws Error if it is damaged or other users can read it
 */
export async function readKeys(path: string): Promise<Keys | undefined> {
  const book = openBook(path)
  await book.read()
  if (book.data === null) return undefined
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`${path} holds a private key that other users can read: set its mode to 600`)
  }
  const { current, former } = book.data
  const key = await signingKey(createPrivateKey({ key: current, format: 'jwk' }))
  if (key.publicJwk.x !== current.x || key.publicJwk.kid !== current.kid) {
    throw new Error(`${path} is damaged: its public key does not match its private key`)
  }
  return { current: key, former }
}

/** Replaces the key file. */
export async function writeKeys(path: string, keys: Keys): Promise<void> {
  const book = openBook(path)
  book.data = toDocument(keys)
  await book.write()
}

/** Writes the first key file. If another process was faster, its file stays. */
export async function writeFirstKeys(path: string, keys: Keys): Promise<void> {
  await createFile(path, `${JSON.stringify(toDocument(keys))}\n`)
}

type KeyDocument = z.infer<typeof KeyFileSchema>

const openBook = (path: string) =>
  new Low<KeyDocument | null>(
    documentFile(path, (text) => parse(path, text)),
    null,
  )

function toDocument({ current, former }: Keys): KeyDocument {
  const { d = '' } = current.privateKey.export({ format: 'jwk' })
  return { version: 1, current: { ...current.publicJwk, d }, former: [...former] }
}

async function signingKey(privateKey: KeyObject): Promise<SigningKey> {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (typeof x !== 'string') throw new TypeError('An Ed25519 key must have a public part')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const
  return { privateKey, publicJwk: { ...jwk, kid: await calculateJwkThumbprint(jwk) } }
}

function parse(path: string, text: string) {
  try {
    return KeyFileSchema.parse(JSON.parse(text))
  } catch {
    // No cause: its message may quote the private key.
    throw new Error(`${path} is damaged: restore it from a backup, or remove it to start with a new key`)
  }
}
