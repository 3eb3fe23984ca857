import type { ChainReads } from '@touchstone402/transfers'

/** A read without its types: it takes a query with a signal. */
export type AnyRead = (query: never) => Promise<unknown>

const NAMES = {
  heads: true,
  blockAtOrBefore: true,
  blockTimes: true,
  payments: true,
  profile: true,
  pulse: true,
  whales: true,
  flow: true,
  momentum: true,
  day: true,
  request: true,
  requestOf: true,
  counts: true,
} satisfies Record<keyof ChainReads, true>

/** Makes every read of a chain, by its name. */
export function makeReads<T>(make: (name: keyof ChainReads) => T): Record<keyof ChainReads, T> {
  const names = Object.keys(NAMES) as (keyof ChainReads)[]
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<keyof ChainReads, T>
}
