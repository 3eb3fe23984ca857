import { randomFillSync } from 'node:crypto'
import { SALT_BYTES } from '@touchstone402/shared/leaves'

/** Ids and salts that nobody can guess. */
export type Ids = {
  /** Returns an id of 72 random bits, with a prefix such as `obs`. */
  readonly newId: (prefix: string) => string
  /** Returns the salt of a leaf of the log, in base64. */
  readonly newSalt: () => string
}

const block = Buffer.alloc(4096)
let used = block.length

/**
 * Returns the text of random bytes. The operating system is asked for blocks: one call for each id takes longer than all
 * else about it.
 */
export function randomText(bytes: number, encoding: 'base64' | 'base64url'): string {
  if (used + bytes > block.length) {
    randomFillSync(block)
    used = 0
  }
  used += bytes
  return block.toString(encoding, used - bytes, used)
}

/** Ids from the generator of the operating system. */
export const RANDOM_IDS: Ids = {
  newId: (prefix) => `${prefix}_${randomText(9, 'base64url')}`,
  newSalt: () => randomText(SALT_BYTES, 'base64'),
}
