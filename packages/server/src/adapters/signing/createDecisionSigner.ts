import { sign as signBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DECISION_TYPE } from '@touchstone402/shared'
import { HOUR } from '../../domain/facts/times.ts'
import type { DecisionSigner } from '../../ports/signer.ts'
import {
  type FormerKey,
  type Keys,
  makeKey,
  readKeys,
  type SigningKey,
  writeFirstKeys,
  writeKeys,
} from './keyFile.ts'

/** Settings of the signer. */
export type DecisionSignerOptions = {
  /** The folder that the key file `signing-keys.json` is in; it is made when it is not there. */
  readonly directory: string
  /** Another key file; its folder is made when it is not there. @default that of the folder */
  readonly file?: string
  /** Real time, milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** The signer, with what its operator can do. */
export type RotatingSigner = DecisionSigner & {
  /** Signs with a fresh key from now on. The former key stays in the key set until what it signed has expired. */
  rotate(): Promise<void>
}

/** How long a decision is valid at the most: 48 hours after the last measurement, plus a margin for clocks. */
const LONGEST_VALIDITY_MS = 49 * HOUR

/**
 * Opens the signing key, making one on the first start.
 *
 * Signatures are Ed25519 from `node:crypto`: what a decision costs is the signature itself, about 20 µs.
 *
 * @throws Error when the key file is damaged, or others than its owner can read it.
 */
export async function createDecisionSigner(options: DecisionSignerOptions): Promise<RotatingSigner> {
  const now = options.now ?? Date.now
  const path = options.file ?? join(options.directory, 'signing-keys.json')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })

  let { current, former } = (await readKeys(path)) ?? (await firstKeys(path))
  let head = protectedHeader(current)
  let rotating: Promise<void> = Promise.resolve()

  const stillNeeded = (key: FormerKey): boolean => key.until > now()

  const rotate = async (): Promise<void> => {
    const next = await makeKey()
    const retired = { publicJwk: current.publicJwk, until: now() + LONGEST_VALIDITY_MS }
    const kept = [retired, ...former.filter(stillNeeded)]
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
      const keys = [current.publicJwk, ...former.filter(stillNeeded).map((key) => key.publicJwk)]
      return { keys: keys.map((key) => ({ ...key, alg: 'EdDSA', use: 'sig' })) }
    },
    rotate() {
      rotating = rotating.then(rotate, rotate)
      return rotating
    },
  }
}

async function firstKeys(path: string): Promise<Keys> {
  await writeFirstKeys(path, { current: await makeKey(), former: [] })
  const keys = await readKeys(path)
  if (!keys) throw new Error(`${path} was removed while it was made.`)
  return keys
}

function protectedHeader({ publicJwk }: SigningKey): string {
  const header = { alg: 'EdDSA', kid: publicJwk.kid, typ: DECISION_TYPE }
  return Buffer.from(JSON.stringify(header)).toString('base64url')
}
