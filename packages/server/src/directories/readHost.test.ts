import { expect, test } from 'vitest'
import { createHostLeases } from '../audit/hostLeases.ts'
import type { Permission } from '../audit/readOptOut.ts'
import { createPolicies, readPermitted } from '../audit/readOptOut.ts'
import { openStore } from '../crawl/testing/openStore.ts'
import type { Unread } from '../facts/facts.ts'
import { DAY, MINUTE } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import type { Prober } from '../lib/prober.ts'
import { aState } from '../store/testing/documents.ts'
import { NOON } from '../store/testing/records.ts'
import { createHostDocuments } from './createHostDocuments.ts'
import { readHostPage } from './hostPage.ts'
import { type HostReading, readHost } from './readHost.ts'

const HOST = 'api.example'

/** Reads the documents of one host, which the directory takes first. */
async function setUp() {
  const state = { permission: 'granted' as Permission, unread: null as Unread | null, asked: [] as string[] }
  const clock = { ...systemClock, now: () => NOON }
  const store = await openStore(clock.now)
  const endpoint = `https://${HOST}/quote`
  await store.write('putEndpoint', aState({ endpoint, host: HOST }))
  const prober: Pick<Prober, 'document'> = {
    async document(url, _signal, onOwnFault) {
      const { pathname } = new URL(url)
      if (pathname === '/robots.txt') {
        const { permission } = state
        if (permission === 'opted_out') return 'User-agent: Touchstone\nDisallow: /\n'
        if (permission !== 'granted') onOwnFault?.(permission)
        return null
      }
      state.asked.push(pathname)
      return JSON.stringify({ resources: ['/quote'] })
    },
  }
  const reading: HostReading = {
    hostDocuments: createHostDocuments({
      parse: async (texts) => state.unread ?? readHostPage(texts),
      now: clock.now,
    }),
    hostLeases: createHostLeases({ store, clock, log: () => {} }),
    document: (...asked) => readPermitted({ clock, policies: createPolicies(clock), prober }, ...asked),
  }
  const read = (origin: string) => readHost({ store, clock }, reading, origin)
  /** Returns the page, and the minutes after which the documents are due again. */
  const take = async () => {
    expect(await store.write('takeDocuments', NOON, NOON + DAY, 9)).toEqual([HOST])
    const page = await read(`https://${HOST}`)
    for (const minutes of [15, 24 * 60]) {
      const due = await store.write('takeDocuments', NOON + minutes * MINUTE - 1, NOON + 2 * DAY, 9)
      if (due.length > 0) return { page, dueIn: 'early' }
      if ((await store.write('takeDocuments', NOON + minutes * MINUTE, NOON + 2 * DAY, 9)).length > 0)
        return { page, dueIn: minutes }
    }
    return { page, dueIn: 'late' }
  }
  return { state, take }
}

test('default: what a host declares is read once a day', async () => {
  const { state, take } = await setUp()
  expect(await take()).toMatchObject({ page: { rows: [{ url: `https://${HOST}/quote` }] }, dueIn: 24 * 60 })
  expect([...new Set(state.asked)].sort()).toEqual(['/.well-known/x402', '/openapi.json'])
})

test.each([
  ['this machine had no time to parse', 'granted', 'own_fault'],
  ['our network kept from us', 'own_fault', null],
  ['our resolver kept from us', 'dns_failed', null],
] as const)('behavior: documents that %s are due again soon', async (_name, permission, unread) => {
  const { state, take } = await setUp()
  Object.assign(state, { permission, unread })
  expect(await take()).toMatchObject({ page: { rows: [], isUnfinished: true }, dueIn: 15 })
})

test('behavior: documents that are too costly to parse are due again soon', async () => {
  const { state, take } = await setUp()
  state.unread = 'unreadable'
  const { page, dueIn } = await take()
  expect([page.rows, page.isUnfinished, dueIn]).toEqual([[], undefined, 15])
})

test('behavior: documents that the host declines to have read are due after a day', async () => {
  const { state, take } = await setUp()
  state.permission = 'opted_out'
  const { page, dueIn } = await take()
  expect([page.rows, page.isUnfinished, dueIn]).toEqual([[], undefined, 24 * 60])
})
