import { decodeBase64, encodeBase64 } from '../base64.ts'
import { HASH_BYTES } from '../tree/hash.ts'
import { isSize } from '../tree/tree.ts'
import type { TreeHead } from '../tree/verify.ts'
import { LogError } from './logError.ts'

/** A tree head of the log that the origin names. */
export type Checkpoint = TreeHead & { readonly origin: string }

/** A decimal number without leading zeros. */
const NUMBER = /^(0|[1-9][0-9]{0,15})$/

/** Returns the text of a checkpoint that a log signs (C2SP tlog-checkpoint). */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`
}

/**
 * Parses the text of a checkpoint. Extension lines are ignored.
 * @throws LogError `malformed_checkpoint`
 */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size, root = '', ...extensions] = text.split('\n')
  const parsed = parseSize(size)
  const hash = decodeBase64(root)
  const isEnded = extensions.pop() === '' && extensions.every((line) => line !== '')
  if (origin === '' || parsed === undefined || hash?.length !== HASH_BYTES || !isEnded) {
    throw new LogError('malformed_checkpoint', 'expected an origin, a size and a root, each on its line')
  }
  return { origin, size: parsed, root: hash }
}

/** Parses a size or an index as checkpoints and proofs write it. */
export function parseSize(text: string | undefined): number | undefined {
  return text !== undefined && NUMBER.test(text) && isSize(Number(text)) ? Number(text) : undefined
}
