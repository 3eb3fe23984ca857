import { ADDRESS_PATTERN, BASE } from '@touchstone402/shared'
import { z } from 'zod'
import { optionalList, toItems } from './settingKinds.ts'

// Warm tokens are read in sequence, every few seconds.
const MAX_WARM_TOKENS = 50
// The day of each is read in sequence, once a day.
const MAX_TOKEN_PAGES = 50

/** USDC, WETH, cbBTC, AERO and DEGEN on Base. */
const TOKENS_OF_BASE = [
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  '0x4200000000000000000000000000000000000006',
  '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
  '0x940181a94A35A4569E4529A3CDfB74e38FD98631',
  '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
]

const isAddress = (item: string): item is `0x${string}` => ADDRESS_PATTERN.test(item)
const toLowerCase = (item: `0x${string}`): `0x${string}` => `0x${item.slice(2).toLowerCase()}`
const distinct = (items: readonly string[]) => [...new Set(items.filter(isAddress).map(toLowerCase))]

const NO_ADDRESSES = 'must be addresses of tokens, comma-separated'

/** Settings of the tokens that are read without being asked for. */
export const tokenSettings = {
  WARM_TOKENS: optionalList()
    .refine((items) => items.every(isAddress), NO_ADDRESSES)
    .transform(distinct)
    .refine((items) => items.length <= MAX_WARM_TOKENS, `must be at most ${MAX_WARM_TOKENS} tokens`),
  TOKEN_PAGES: z
    .string()
    .transform((given) => (given === 'none' ? [] : toItems(given)))
    .refine((items) => items.every(isAddress), `${NO_ADDRESSES}, or none`)
    .transform(distinct)
    .refine((items) => items.length <= MAX_TOKEN_PAGES, `must be at most ${MAX_TOKEN_PAGES} tokens`)
    .optional(),
}

/** Returns the tokens with a page, in lower case. The default ones exist on Base alone. */
export function readTokenPages(
  given: readonly `0x${string}`[] | undefined,
  network: string,
): readonly `0x${string}`[] {
  return given ?? (network === BASE ? distinct(TOKENS_OF_BASE) : [])
}
