import { randomInt } from 'node:crypto'

/** Exclusive bound of `randomInt`. */
const VALUES = 2 ** 48 - 1

/** Returns a random number from 0 to below 1 that earlier ones do not tell, as those of `Math.random` do. */
export const drawRandom = (): number => randomInt(VALUES) / VALUES
