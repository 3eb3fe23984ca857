import { expect, test } from 'vitest'
import { createClock } from './clock.ts'
import { listBazaar } from './directories/bazaar.ts'
import { listIndex402 } from './directories/index402.ts'
import type { Hosts } from './hostServer.ts'
import { openSellers } from './openSellers.ts'
import type { SellerSpec } from './sellers/types.ts'

const SPEC: SellerSpec = {
  id: 'plain',
  character: 'honest',
  title: 'Weather',
  category: 'data',
  method: 'GET',
  path: '/now',
  priceUsd: '0.01',
  receiver: { index: 100, past: 'none' },
  listing: { bazaar: { version: 2 }, index402: { version: 2 } },
  expected: { guard: 'pays', why: 'it is honest' },
  create: () => ({ handle: () => {} }),
}

/** Hosts that nothing listens at. */
const HOSTS: Hosts = {
  open: async (name) => ({ host: `${name}.localhost:80`, counters: { hits: 0, paid: 0 }, serve: () => {} }),
  close: async () => {},
}
const clock = createClock({ mode: 'real' })
const open = (...specs: SellerSpec[]) =>
  openSellers(specs, { hosts: HOSTS, clock, startedAt: 0, facilitatorUrl: 'http://127.0.0.1:1' })

test('default: a seller is at its name, or at its id without one', async () => {
  const sellers = await open(SPEC, { ...SPEC, id: 'other', name: 'weather' })
  expect(sellers.map(({ id, url }) => [id, url])).toEqual([
    ['plain', 'http://plain.localhost:80/now'],
    ['other', 'http://weather.localhost:80/now'],
  ])
})

test('behavior: directories name a seller as its host does', async () => {
  const spec = { ...SPEC, name: 'weather' }
  const [seller] = await open(spec)
  const { url = '', receiver = '0x' } = seller ?? {}
  const context = { listed: [{ spec, url, receiver }], clock, startedAt: 0 } as const
  expect(listBazaar(context, new URLSearchParams())).toMatchObject({ items: [{ serviceName: 'weather' }] })
  expect(listIndex402(context, new URLSearchParams())).toMatchObject({ services: [{ provider: 'weather' }] })
})

test('error: refuses two sellers of one name', async () => {
  await expect(open(SPEC, { ...SPEC, id: 'other', name: 'plain' })).rejects.toThrow(
    'duplicate seller name plain',
  )
})
