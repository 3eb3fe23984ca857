import { randomBytes } from 'node:crypto'
import {
  formatSignerKey,
  openNote,
  parseNote,
  parseSignerKey,
  parseVerifierKey,
  signNote,
  verifierKeyOf,
} from '@touchstone402/transparency'
import type { CrashReport } from '../types.ts'

const HEAD = 'touchstone402-crash-test/v1'
/** Name of a key that is made for one run. */
const RUN_KEY = 'crash-test-run'

/** Content of a certificate. */
export type Certified = {
  report: CrashReport
  /** Version of this package. */
  version: string
  /** Program and arguments as they were given. Values of environment variables are no part of it. */
  command: readonly string[]
  at: Date
}

/**
 * Writes a result as a signed note of C2SP. It proves only that the holder of the key signed it.
 * @param signerKey private key as `PRIVATE+KEY+name+id+base64`. @default a key made for this certificate
 * @throws NoteError `malformed_key`
 */
export async function writeCertificate(certified: Certified, signerKey?: string): Promise<string> {
  const key = signerKey ?? (await formatSignerKey(RUN_KEY, randomBytes(32)))
  const { report, version, command, at } = certified
  const { controls, controlsPaid, drained, lostUsd, problem, categories } = report
  const lines = [
    HEAD,
    `version ${version}`,
    `date ${at.toISOString()}`,
    `command ${JSON.stringify(command)}`,
    `honest sellers paid ${controlsPaid} of ${controls}`,
    ...categories.map(({ category, result, stolen, stolenUsd }) =>
      [category, result, ...(stolen > 0 ? [`${stolen} stolen`, `$${stolenUsd}`] : [])].join(' '),
    ),
    `drained ${drained} of ${categories.length}`,
    `lost $${lostUsd}`,
    `problem ${problem ?? 'none'}`,
    `key ${await verifierKeyOf(key)}`,
  ]
  return signNote(`${lines.join('\n')}\n`, [await parseSignerKey(key)])
}

/** A certificate whose signature is valid. */
export type OpenedCertificate = {
  text: string
  /** Public key that signed it, as `name+id+base64`. */
  key: string
}

/**
 * Verifies a certificate.
 * @param key public key that must have signed it. @default the one that it names itself, which proves no origin
 * @throws NoteError
 */
export async function readCertificate(note: string, key?: string): Promise<OpenedCertificate> {
  const { text } = parseNote(note)
  const [, named = ''] = /^key (.+)$/m.exec(text) ?? []
  if (!text.startsWith(`${HEAD}\n`)) throw new Error('This is no certificate of the crash test.')
  await openNote(note, [parseVerifierKey(key ?? named)])
  return { text, key: key ?? named }
}
