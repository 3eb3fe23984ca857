import { randomBytes } from 'node:crypto'
import { SALT_BYTES } from '@touchstone402/shared/leaves'

/** Returns the salt of a leaf of the log, in base64. */
export const newSalt = () => randomBytes(SALT_BYTES).toString('base64')
