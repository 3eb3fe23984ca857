import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  aConfig,
  createDatasetAnswers,
  createMemoryStore,
  createReadModel,
  createSnapshots,
  readUnsettled,
  systemClock,
} from '@touchstone402/server/testing'
import { decodeBase64Json, OPERATIONS } from '@touchstone402/shared'
import { expect, onTestFinished, test } from 'vitest'
import { aHost, hostName, putHosts } from './support/manyHosts.ts'
import { useMarket } from './support/market.ts'
import { signFor } from './support/sign.ts'

const market = useMarket()
const DATASET_PRICE = 100_000n

/** Opens a shop that sells the datasets of `hosts` hosts. */
async function openDatasetShop(hosts: number, gate?: Promise<void>) {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-datasets-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const store = createMemoryStore()
  const readModel = await createReadModel(store)
  await putHosts(store, { hosts, now: Date.now() })
  const snapshots = await createSnapshots({ directory, isShared: false })
  const ctx = { store, clock: systemClock, config: aConfig() }
  const answers = createDatasetAnswers(ctx, { readModel, snapshots })
  const made = { count: 0, buyerIsGone: false }
  const shop = await market.open({
    store,
    snapshots,
    answers: {
      ...answers,
      trustDataset: async (query, context) => {
        made.count++
        context.signal.addEventListener('abort', () => {
          made.buyerIsGone = true
        })
        const answer = await answers.trustDataset(query, context)
        await gate
        return answer
      },
    },
  })
  return { ...shop, store, made }
}

test('default: streams a paid dataset, and replays the same bytes for the same payment', async () => {
  const shop = await openDatasetShop(300)
  const url = `${shop.origin}/trust/dataset?limit=250`
  const { headers } = await signFor(url, market.bot(), 2)
  const first = await fetch(url, { headers })
  expect(first.status).toBe(200)
  expect(first.headers.get('cache-control')).toBe('private, no-store')
  expect(first.headers.get('etag')).toBeNull()
  expect(decodeBase64Json(first.headers.get('PAYMENT-RESPONSE') ?? '')).toMatchObject({ success: true })
  const bytes = Buffer.from(await first.arrayBuffer())
  expect(first.headers.get('content-length')).toBe(String(bytes.length))
  const body = OPERATIONS.trustDataset.response[0].parse(JSON.parse(bytes.toString()))
  expect(body).toMatchObject({ all: false, limit: 250, count: 250, total: 300, truncated: true })

  // A sold dataset does not change with new facts.
  await putHosts(shop.store, { from: 1000, hosts: 1, now: Date.now() })
  for (let time = 0; time < 2; time++) {
    const again = await fetch(url, { headers })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true)
  }
  expect(shop.made.count).toBe(1)
  expect(await market.earned()).toBe(DATASET_PRICE)

  const elsewhere = await fetch(`${shop.origin}/trust/dataset?limit=251`, { headers })
  expect(elsewhere.status).toBe(402)
})

test('behavior: includes dead services only with all=1', async () => {
  const shop = await openDatasetShop(2)
  for (const state of aHost(7, { now: Date.now() }))
    await shop.store.write('putEndpoint', { ...state, status: 'dark', verdict: 'avoid' })
  const hosts = async (query: string) => {
    const url = `${shop.origin}/trust/dataset${query}`
    const { headers } = await signFor(url, market.bot(), 1)
    const answer = (await (await fetch(url, { headers })).json()) as { services: { host: string }[] }
    return answer.services.map(({ host }) => host)
  }
  expect(await hosts('')).toEqual([hostName(1), hostName(0)])
  expect(await hosts('?all=1')).toEqual([hostName(1), hostName(0), hostName(7)])
})

test('behavior: does not charge a client that disconnects before the settlement, and accepts its retry', async () => {
  let finish = () => {}
  const gate = new Promise<void>((resolve) => {
    finish = resolve
  })
  const shop = await openDatasetShop(10, gate)
  const url = `${shop.origin}/trust/dataset`
  const { headers } = await signFor(url, market.bot(), 2)
  const leaving = new AbortController()
  const call = fetch(url, { headers, signal: leaving.signal })
  await expect.poll(() => shop.made.count).toBe(1)
  leaving.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(() => shop.made.buyerIsGone).toBe(true)
  finish()
  await expect.poll(async () => (await readUnsettled(shop.store)).length).toBe(0)
  expect(await market.earned()).toBe(0n)
  const again = await fetch(url, { headers })
  expect(again.status).toBe(200)
  expect(await again.json()).toMatchObject({ count: 10 })
  expect(await market.earned()).toBe(DATASET_PRICE)
})

test('error: refuses an invalid query with 400 and no charge', async () => {
  const shop = await openDatasetShop(1)
  for (const query of ['limit=0', 'limit=1e3', 'all=yes', 'limit=5&limit=6', 'all[]=1']) {
    const url = `${shop.origin}/trust/dataset?${query}`
    const { headers } = await signFor(url, market.bot(), 2)
    expect([query, (await fetch(url, { headers })).status]).toEqual([query, 400])
  }
  expect(shop.made.count).toBe(0)
  expect(await market.earned()).toBe(0n)
})
