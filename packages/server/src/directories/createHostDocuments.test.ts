import { BASE, BASE_USDC } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { OwnFault, Unread } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { createHostDocuments, type FetchDocument, readHostRows } from './createHostDocuments.ts'
import { type HostTexts, readHostPage } from './hostPage.ts'

const ORIGIN = 'https://api.shop.example'
const A = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const WELL_KNOWN = {
  lastUpdated: '2020-01-01T00:00:00Z',
  resources: [{ path: '/a', price: '$0.01', updatedAt: 1 }],
}

/** Starts a reader of one host, whose documents can be changed. */
function start() {
  const host = { wellKnown: WELL_KNOWN as unknown, openApi: null as unknown, isOurFault: false }
  const state = { now: DAY, fetched: 0, parsed: 0, unread: null as Unread | null, maxBytes: 0 }
  const documents = createHostDocuments({
    async parse(texts) {
      state.parsed++
      return state.unread ?? readHostPage(texts)
    },
    now: () => state.now,
  })
  const fetchDocument: FetchDocument = async (url, onOwnFault, maxBytes) => {
    state.fetched++
    state.maxBytes = maxBytes
    if (host.isOurFault) onOwnFault()
    const document = url.endsWith('openapi.json') ? host.openApi : host.wellKnown
    return host.isOurFault || document === null ? null : JSON.stringify(document)
  }
  const prober = {
    document: (url: string, _signal?: AbortSignal, onOwnFault = (_cause: OwnFault) => {}, maxBytes = 0) =>
      fetchDocument(url, () => onOwnFault('own_fault'), maxBytes),
  }
  return {
    host,
    state,
    read: async () => (await documents.read(ORIGIN, fetchDocument)).page,
    reread: () => readHostRows(documents, prober, ORIGIN),
  }
}

test('rule 8: a document is as fresh as the fetch, whatever it says of itself', async () => {
  const { state, read } = start()
  for (const now of [DAY, 2 * DAY]) {
    state.now = now
    expect((await read()).rows.map(({ claimedAt, ownClaim }) => [claimedAt, ownClaim])).toEqual([[now, true]])
  }
  expect(state.maxBytes).toBe(2 * 1024 * 1024)
})

test('behavior: what was read is kept by host; a re-read fetches at most once an hour', async () => {
  const { state, read, reread } = start()
  await read()
  state.now += HOUR - 1
  for (let count = 0; count < 5; count++) expect(await reread()).toHaveLength(1)
  expect(state).toMatchObject({ fetched: 2, parsed: 1 })
  state.now += 1
  await reread()
  expect(state).toMatchObject({ fetched: 4, parsed: 2 })
  // The directory reads each host once a day, and needs what holds now.
  await read()
  expect(state).toMatchObject({ fetched: 6, parsed: 3 })
})

test('behavior: documents that are unreadable are read again after 15 minutes, and then in twice the time', async () => {
  const { state, read, reread } = start()
  state.unread = 'unreadable'
  const unread = { rows: [], skipped: { unread: 1 } }
  const gaps = [15, 30, 60, 120, 240, 480, 720, 720, 720].map((minutes) => minutes * MINUTE)
  for (const [index, gap] of gaps.entries()) {
    expect(await read()).toEqual(unread)
    expect(state.parsed).toBe(index + 1)
    state.now += gap - 1
    expect([await read(), await reread()]).toEqual([unread, 'unreadable'])
    expect(state.parsed).toBe(index + 1)
    state.now += 1
  }
  state.unread = null
  expect((await read()).rows).toHaveLength(1)
  expect(await reread()).toHaveLength(1)
})

test('behavior: documents that this machine had no time to parse are read again at once', async () => {
  const { state, read, reread } = start()
  state.unread = 'own_fault'
  expect(await read()).toEqual({ rows: [], skipped: { unread: 1 }, isUnfinished: true })
  expect(await reread()).toBe('own_fault')
  state.unread = null
  expect(await reread()).toHaveLength(1)
  expect(await read()).not.toHaveProperty('isUnfinished')
})

test('behavior: hosts without documents cost no parsing, and a fault of ours is not kept', async () => {
  const { host, state, read, reread } = start()
  host.isOurFault = true
  expect(await reread()).toBe('own_fault')
  expect(await read()).toMatchObject({ rows: [], isUnfinished: true })
  Object.assign(host, { isOurFault: false, wellKnown: null })
  expect(await reread()).toEqual([])
  expect(state).toMatchObject({ fetched: 6, parsed: 0 })
})

const texts = (openApi: unknown, wellKnown: unknown): HostTexts => ({
  directory: 'host',
  origin: ORIGIN,
  openApi: JSON.stringify(openApi),
  wellKnown: JSON.stringify(wellKnown),
})
const TERMS = { network: BASE, asset: 'USDC', payTo: A }
const USDC = { network: BASE, asset: BASE_USDC, payTo: A }

test.each([
  ['adds the claims that OpenAPI leaves out', {}, { ...TERMS, price: '$0.01' }, { ...USDC, priceUsd: 0.01 }],
  ['adds the receiver', { price: '$0.02' }, { ...TERMS, price: '$0.01' }, { ...USDC, priceUsd: 0.02 }],
  [
    'adds nothing of another network',
    { network: 'eip155:137', price: '$0.02' },
    { ...TERMS, price: '$0.01' },
    { network: 'eip155:137', asset: null, payTo: null, priceUsd: 0.02 },
  ],
  ['leaves the claims of OpenAPI alone', { ...TERMS, price: '$0.02' }, {}, { ...USDC, priceUsd: 0.02 }],
])('behavior: the well-known document %s', (_name, payment, entry, claims) => {
  const paths = { '/a': { post: { 'x-payment-info': payment } } }
  const { rows } = readHostPage(texts({ paths }, { resources: [{ path: '/a', method: 'GET', ...entry }] }))
  expect(rows).toMatchObject([{ method: 'POST', claims }])
})
