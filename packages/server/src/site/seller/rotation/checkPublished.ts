import { sameAddress } from '@touchstone402/shared'
import { readRotations, rotationMessage } from '../../../domain/facts/rotation.ts'
import { type CheckedRotation, checkText } from './checkText.ts'
import type { RotationCase } from './readCase.ts'

/** Names the fault of an announcement that a host publishes. */
export const PUBLISHED = 'published'

/** Wrong signatures after which no more of a document are checked, since each costs milliseconds. */
const MAX_BAD_SIGNATURES = 4

/**
 * Checks the announcement that a host publishes in `/.well-known/x402`. Its faults are of `published`, since the sender
 * filled in neither text nor signature.
 */
export async function checkPublished(
  rotation: RotationCase,
  readDocument: (url: string) => Promise<string | null>,
): Promise<CheckedRotation> {
  const checked = await findPublished(rotation, readDocument)
  if (checked.ok) return checked
  return { ok: false, faults: checked.faults.map((fault) => ({ ...fault, parameter: PUBLISHED })) }
}

async function findPublished(
  rotation: RotationCase,
  readDocument: (url: string) => Promise<string | null>,
): Promise<CheckedRotation> {
  const { endpoint, oldPayTo, newPayTo, network } = rotation
  const url = `${new URL(endpoint).origin}/.well-known/x402`
  const refuse = (message: string): CheckedRotation => ({
    ok: false,
    faults: [{ parameter: PUBLISHED, code: 'missing', message }],
  })
  const text = await readDocument(url)
  if (text === null) return refuse(`${url} could not be read: it must answer 200 without a login`)
  const published = readRotations(text)
  if (published.length === 0) {
    return refuse(
      `${url} was read, but has no newPayTo with validFrom and signature, at the top level or in a list under rotations`,
    )
  }
  const fitting = published.filter((one) => newPayTo === null || sameAddress(one.newPayTo, newPayTo))
  const [first] = fitting.length > 0 ? fitting : published
  if (first === undefined) return refuse(`${url} has no announcement`)
  let worst: CheckedRotation | undefined
  let badSignatures = 0
  for (const { signature, validFrom, ...one } of fitting.length > 0 ? fitting : [first]) {
    const terms = { host: rotation.host, network: one.network, oldPayTo, newPayTo: one.newPayTo, validFrom }
    const checked = await checkText(rotation, rotationMessage(terms), signature)
    if (checked.ok && one.network === network) return checked
    worst ??= checked
    const isBadSignature = !checked.ok && checked.faults.some(({ parameter }) => parameter === 'signature')
    if (isBadSignature && ++badSignatures === MAX_BAD_SIGNATURES) break
  }
  return worst ?? refuse(`${url} has no announcement`)
}
