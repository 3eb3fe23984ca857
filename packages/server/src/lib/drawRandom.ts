import { randomInt } from 'node:crypto'

/** Exclusive bound of `randomInt`. */
const VALUES = 2 ** 48 - 1

/** Returns a random number from 0 to below 1. Unlike with `Math.random`, earlier numbers do not reveal later ones. */
export const drawRandom = (): number => randomInt(VALUES) / VALUES
