import type { Scenario } from '../types.ts'
import { THIEF } from '../world.ts'

const category = 'lookalike_domain'
const trap = { terms: [{ payTo: THIEF, amount: '90000' }] }
const unknown = { category, seller: trap, code: 'VERDICT_UNKNOWN' } as const
/** Addresses that are the listed one once they are parsed: they borrow nothing but its own verdict. */
const same = { category, seller: { terms: [{ payTo: THIEF }] }, code: 'RECEIVER_NOT_CHECKED' } as const

/** More URLs that look like the listed one, and some that are. */
export const lookalikes: readonly Scenario[] = [
  {
    ...unknown,
    name: 'The URL has the listed host as the first labels of another.',
    url: ({ port }) => `http://api.localhost.evil.localhost:${port}/weather`,
  },
  {
    ...unknown,
    name: 'The URL has the parent of the listed host.',
    url: ({ port }) => `http://localhost:${port}/weather`,
  },
  {
    ...unknown,
    name: 'The URL has the listed path in its fragment.',
    url: ({ origin }) => `${origin}/trap#/weather`,
  },
  {
    ...unknown,
    name: 'The URL has the listed path and an escaped question mark.',
    url: ({ origin }) => `${origin}/weather%3Fcity`,
  },
  {
    ...unknown,
    name: 'The URL has an escaped zero byte after the listed path.',
    url: ({ origin }) => `${origin}/weather%00`,
  },
  {
    ...unknown,
    name: 'The URL has the listed path in its query.',
    url: ({ origin }) => `${origin}/trap?path=/weather`,
  },
  {
    ...same,
    name: 'The URL has full-width letters, which are the listed host.',
    url: ({ port }) => `http://\uff41pi.localhost:${port}/weather`,
  },
  {
    ...same,
    name: 'The URL has a soft hyphen, which is no part of the host.',
    url: ({ port }) => `http://a\u00adpi.localhost:${port}/weather`,
  },
  {
    ...same,
    name: 'The URL has backslashes for slashes.',
    url: ({ port }) => `http:\\\\api.localhost:${port}\\weather`,
  },
  {
    ...same,
    name: 'The URL has dot segments that lead to the listed path.',
    url: ({ origin }) => `${origin}/trap/%2e%2e/weather`,
  },
  {
    ...same,
    name: 'The URL has a line break in the listed path.',
    url: ({ origin }) => `${origin}/wea\nther`,
  },
  {
    ...same,
    name: 'The URL has a backslash in its query.',
    url: ({ origin }) => `${origin}/weather?path=a\\b`,
  },
]
