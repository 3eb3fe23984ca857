import { sign as signBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { DECISION_TYPE } from '@touchstone402/shared'
import { ED25519_TYPE, keyIdOf } from '@touchstone402/transparency'
import { HOUR } from '../facts/times.ts'
import { makeFolder } from '../lib/durableFiles.ts'
import {
  type FormerKey,
  type Keys,
  makeKey,
  readKeys,
  type SigningKey,
  writeFirstKeys,
  writeKeys,
} from './keyFile.ts'
import type { CurrentKey, DecisionSigner } from './signer.ts'

/** Options of `createDecisionSigner`. */
export type DecisionSignerOptions = {
  /** Folder of the key file, created if missing. */
  readonly directory: string
  /** Path of the key file. @default `signing-keys.json` in the folder */
  readonly file?: string | null
}

/** A signer whose key can be rotated. */
export type RotatingSigner = DecisionSigner &
  CurrentKey & {
    /** Replaces the signing key. The former key stays in the key set until every decision it signed has expired. */
    rotate(): Promise<void>
  }

/** Maximum validity of a decision: 48 hours after the last measurement, plus a margin for clock skew. */
const LONGEST_VALIDITY_MS = 49 * HOUR

/**
 * Opens the signing key, or generates one on the first start.
 *
 * Signs with Ed25519 from `node:crypto`, about 20 µs a decision.
 * @throws Error if the key file is damaged or other users can read it
 */
export async function createDecisionSigner(options: DecisionSignerOptions): Promise<RotatingSigner> {
  const path = options.file ?? join(options.directory, 'signing-keys.json')

  let { current, former } = (await readKeys(path)) ?? (await firstKeys(path))
  let head = protectedHeader(current)
  let rotating: Promise<void> = Promise.resolve()

  const isPublished = (key: FormerKey): boolean => key.until > Date.now()

  const rotate = async (): Promise<void> => {
    const next = await makeKey()
    const retired = { publicJwk: current.publicJwk, until: Date.now() + LONGEST_VALIDITY_MS }
    const kept = [retired, ...former.filter(isPublished)]
    await writeKeys(path, { current: next, former: kept })
    current = next
    former = kept
    head = protectedHeader(next)
  }

  return {
    async sign(decision) {
      const content = `${head}.${Buffer.from(JSON.stringify(decision)).toString('base64url')}`
      const signature = signBytes(null, Buffer.from(content), current.privateKey)
      return `${content}.${signature.toString('base64url')}`
    },
    jwks() {
      const keys = [current.publicJwk, ...former.filter(isPublished).map((key) => key.publicJwk)]
      return { keys: keys.map((key) => ({ ...key, alg: 'EdDSA', use: 'sig' })) }
    },
    noteSigner(name) {
      const { privateKey, publicJwk } = current
      const keyId = keyIdOf(name, ED25519_TYPE, Buffer.from(publicJwk.x, 'base64url'))
      return { name, keyId, sign: async (text) => signBytes(null, text, privateKey) }
    },
    rotate() {
      rotating = rotating.then(rotate, rotate)
      return rotating
    },
  }
}

async function firstKeys(path: string): Promise<Keys> {
  await makeFolder(dirname(path))
  await writeFirstKeys(path, { current: await makeKey(), former: [] })
  const keys = await readKeys(path)
  if (!keys) throw new Error(`${path} was removed while it was being created`)
  return keys
}

function protectedHeader({ publicJwk }: SigningKey): string {
  const header = { alg: 'EdDSA', kid: publicJwk.kid, typ: DECISION_TYPE }
  return Buffer.from(JSON.stringify(header)).toString('base64url')
}
