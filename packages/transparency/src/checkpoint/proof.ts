import { decodeBase64, encodeBase64 } from '../base64.ts'
import { HASH_BYTES, hashLeaf } from '../tree/hash.ts'
import { proveInclusion, type ReadSubtrees } from '../tree/tree.ts'
import { verifyInclusion } from '../tree/verify.ts'
import { parseSize } from './checkpoint.ts'
import { LogError } from './logError.ts'
import { type OpenedCheckpoint, openCheckpoint, type ReadPolicy } from './policy.ts'

/** A proof that a leaf is in a log, complete for offline use (C2SP tlog-proof). */
export type LogProof = {
  readonly index: number
  /** From the leaf's sibling up. */
  readonly hashes: readonly Uint8Array[]
  /** The checkpoint as the log and its witnesses signed it. */
  readonly checkpoint: string
  /** Data that is not authenticated, such as the leaf itself. */
  readonly extra?: Uint8Array | undefined
}

/** A leaf that a log holds, as a proof showed. */
export type ProvenLeaf = { readonly index: number; readonly checkpoint: OpenedCheckpoint }

const HEADER = 'c2sp.org/tlog-proof@v1'
const MAX_HASHES = 63
const MAX_LENGTH = 1_000_000

/** Makes the proof of a leaf under a signed checkpoint of `size` leaves. */
export async function makeLogProof(
  {
    index,
    size,
    checkpoint,
    extra,
  }: Pick<LogProof, 'index' | 'checkpoint' | 'extra'> & { readonly size: number },
  read: ReadSubtrees,
): Promise<string> {
  return formatLogProof({ index, hashes: await proveInclusion(index, size, read), checkpoint, extra })
}

/** Writes a proof as text. */
export function formatLogProof({ index, hashes, checkpoint, extra }: LogProof): string {
  return [
    HEADER,
    ...(extra === undefined ? [] : [`extra ${encodeBase64(extra)}`]),
    `index ${index}`,
    ...hashes.map(encodeBase64),
    '',
    checkpoint,
  ].join('\n')
}

/** @throws LogError `malformed_proof` */
export function parseLogProof(text: string): LogProof {
  if (text.length > MAX_LENGTH) throw malformed('expected at most 1 MB')
  const end = text.indexOf('\n\n')
  const [header, ...lines] = text.slice(0, Math.max(end, 0)).split('\n')
  if (header !== HEADER) throw malformed(`expected ${HEADER} in the first line`)
  const hasExtra = lines[0]?.startsWith('extra ') ?? false
  const extra = hasExtra ? decodeBase64(lines.shift()?.slice('extra '.length) ?? '') : undefined
  const line = lines.shift() ?? ''
  const index = line.startsWith('index ') ? parseSize(line.slice('index '.length)) : undefined
  const hashes = lines.map(decodeBase64)
  if (hasExtra && extra === undefined) throw malformed('expected base64 after "extra"')
  if (index === undefined) throw malformed('expected "index" and a whole number')
  if (!hashes.every((hash) => hash?.length === HASH_BYTES) || hashes.length > MAX_HASHES) {
    throw malformed(`expected at most ${MAX_HASHES} hashes of ${HASH_BYTES} bytes`)
  }
  const known = hashes.filter((hash) => hash !== undefined)
  return { index, hashes: known, checkpoint: text.slice(end + 2), ...(extra && { extra }) }
}

/**
 * Verifies that a checkpoint which the policy accepts covers a leaf.
 * @param leaf the leaf's bytes, from elsewhere or from the proof's `extra`
 * @param now Unix time in ms
 * @throws LogError
 */
export async function verifyLogProof(
  proof: string | LogProof,
  leaf: Uint8Array,
  policy: ReadPolicy,
  now: number,
): Promise<ProvenLeaf> {
  const { index, hashes, checkpoint } = typeof proof === 'string' ? parseLogProof(proof) : proof
  const opened = await openCheckpoint(checkpoint, policy, now)
  if (!verifyInclusion({ leafHash: hashLeaf(leaf), index, proof: hashes }, opened)) {
    throw new LogError('not_included', `the proof does not lead from leaf ${index} to the checkpoint's root`)
  }
  return { index, checkpoint: opened }
}

function malformed(message: string): LogError {
  return new LogError('malformed_proof', message)
}
