import type { Ids } from '../lib/ids.ts'

/** Ids and salts that count up. */
export function countIds(): Ids {
  let ids = 0
  let salts = 0
  return {
    newId: (prefix) => `${prefix}_${++ids}`,
    newSalt: () => Buffer.alloc(16, ++salts).toString('base64'),
  }
}
