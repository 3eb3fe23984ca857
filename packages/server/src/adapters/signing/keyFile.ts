import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { calculateJwkThumbprint } from 'jose'
import * as z from 'zod/mini'

/** A public Ed25519 key (RFC 8037); its `kid` is the RFC 7638 thumbprint. */
export type PublicJwk = {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
}

/** The key that signs. */
export type SigningKey = { readonly privateKey: KeyObject; readonly publicJwk: PublicJwk }

/** A key that signs no more, and until when (milliseconds since 1970) what it signed may be valid. */
export type FormerKey = { readonly publicJwk: PublicJwk; readonly until: number }

/** What the key file holds. */
export type Keys = { readonly current: SigningKey; readonly former: readonly FormerKey[] }

const part = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/))
const PublicJwkSchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: part,
  kid: part,
})
const KeyFileSchema = z.object({
  version: z.literal(1),
  current: z.extend(PublicJwkSchema, { d: part }),
  former: z.array(z.object({ publicJwk: PublicJwkSchema, until: z.number() })),
})

/** Makes a fresh key. */
export async function makeKey(): Promise<SigningKey> {
  return signingKey(generateKeyPairSync('ed25519').privateKey)
}

/**
 * Reads the key file; undefined when there is none.
 *
 * @throws Error when it is damaged or readable by others.
 */
export async function readKeys(path: string): Promise<Keys | undefined> {
  const text = await readIfThere(path)
  if (text === undefined) return undefined
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`${path} holds a private key and may be read by its owner only: set its mode to 600.`)
  }
  const { current, former } = parse(path, text)
  const key = await signingKey(createPrivateKey({ key: current, format: 'jwk' }))
  if (key.publicJwk.x !== current.x || key.publicJwk.kid !== current.kid) {
    throw new Error(`${path} is damaged: its public and private key do not belong together.`)
  }
  return { current: key, former }
}

/** Replaces the key file as a whole, durably, readable by its owner only. */
export async function writeKeys(path: string, keys: Keys): Promise<void> {
  await writeAside(path, keys, (temporary) => rename(temporary, path))
}

/** Writes the first key file; where another process was quicker, its file stays. */
export async function writeFirstKeys(path: string, keys: Keys): Promise<void> {
  await writeAside(path, keys, async (temporary) => {
    try {
      await link(temporary, path)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    } finally {
      await rm(temporary)
    }
  })
}

async function writeAside(
  path: string,
  { current, former }: Keys,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const { d } = current.privateKey.export({ format: 'jwk' })
  const temporary = `${path}.${randomUUID()}.tmp`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify({ version: 1, current: { ...current.publicJwk, d }, former })}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await place(temporary)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function signingKey(privateKey: KeyObject): Promise<SigningKey> {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (typeof x !== 'string') throw new TypeError('An Ed25519 key has a public part.')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const
  return { privateKey, publicJwk: { ...jwk, kid: await calculateJwkThumbprint(jwk) } }
}

function parse(path: string, text: string) {
  try {
    return KeyFileSchema.parse(JSON.parse(text))
  } catch {
    // The cause is left out on purpose: it may quote the key.
    throw new Error(`${path} is damaged. Restore it, or remove it to start with a new key.`)
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
