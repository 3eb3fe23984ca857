import { randomBytes } from 'node:crypto'
import { SALT_BYTES } from '@touchstone402/shared/leaves'

/** Ids and salts that nobody can guess. */
export type Ids = {
  /** Returns an id of 72 random bits, with a prefix such as `obs`. */
  readonly newId: (prefix: string) => string
  /** Returns the salt of a leaf of the log, in base64. */
  readonly newSalt: () => string
}

/** Ids from the generator of the operating system. */
export const RANDOM_IDS: Ids = {
  newId: (prefix) => `${prefix}_${randomBytes(9).toString('base64url')}`,
  newSalt: () => randomBytes(SALT_BYTES).toString('base64'),
}
