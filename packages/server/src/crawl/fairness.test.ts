import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHostLeases } from '../audit/hostLeases.ts'
import { systemClock } from '../lib/clock.ts'
import { countDue } from '../store/leases.ts'
import { openStore } from './testing/openStore.ts'
import { createProbes, list, startCrawl } from './testing/startCrawl.ts'

const patient = { timeout: 30_000, interval: 5 }
const HONEST = 'https://honest.example/a'

test('behavior: slow endpoints on as many hosts as there are workers do not starve an honest one', async () => {
  const store = await openStore()
  const probes = createProbes((endpoint) => sleep(endpoint === HONEST ? 1 : 20))
  const slow = Array.from({ length: 900 }, (_, index) => `https://slow-${index % 16}.example/${index}`)
  // All others have waited longer.
  await list(store, [...slow, HONEST])
  startCrawl(store, probes, { crawlConcurrency: 16, sliceMs: 50 })
  await expect.poll(() => probes.probed, patient).toContain(HONEST)
  // Within about one slice of the others.
  expect(probes.probed.indexOf(HONEST)).toBeLessThan(150)
})

test('behavior: at most an eighth of the workers are at hosts of one registrable domain', async () => {
  const store = await openStore()
  const most = { ofDomain: 0, others: 0 }
  const probes = createProbes(async () => {
    const hosts = [...probes.under.keys()]
    const ofDomain = hosts.filter((host) => host.endsWith('.big.example')).length
    most.ofDomain = Math.max(most.ofDomain, ofDomain)
    most.others = Math.max(most.others, hosts.length - ofDomain)
    await sleep(3)
  })
  const subdomains = Array.from({ length: 145 }, (_, index) => `https://s${index}.big.example/a`)
  const others = Array.from({ length: 30 }, (_, index) => `https://other-${index}.example/a`)
  await list(store, [...subdomains, ...others])
  startCrawl(store, probes, { crawlConcurrency: 16 })
  await expect.poll(() => probes.probed.length, patient).toBe(175)
  expect(most.ofDomain).toBe(2)
  expect(most.others).toBeGreaterThan(10)
  const lastOther = Math.max(...others.map((endpoint) => probes.probed.indexOf(endpoint)))
  expect(lastOther).toBeLessThan(100)
})

test('behavior: a host is probed for a slice and then waits behind the others', async () => {
  const store = await openStore()
  const probes = createProbes(() => sleep(5))
  const many = Array.from({ length: 60 }, (_, index) => `https://many.example/${index + 10}`)
  await list(store, [...many, HONEST])
  startCrawl(store, probes, { crawlConcurrency: 1, sliceMs: 100 })
  await expect.poll(() => probes.probed.length, patient).toBe(61)
  const place = probes.probed.indexOf(HONEST)
  // The slice is over before the host is done, but holds more than one probe.
  expect(place).toBeGreaterThan(1)
  expect(place).toBeLessThan(30)
  expect(probes.probed.filter((endpoint) => endpoint !== HONEST)).toEqual(many)
})

test('behavior: crawlers of several processes share the hosts, and never probe one at once', async () => {
  const store = await openStore()
  const probes = createProbes(() => sleep(2))
  const endpoints = Array.from({ length: 200 }, (_, index) => `https://host-${index % 40}.example/${index}`)
  await list(store, endpoints)
  const crawls = [startCrawl(store, probes), startCrawl(store, probes)]
  await expect.poll(() => probes.probed.length, patient).toBe(200)
  expect(probes.overlaps).toBe(0)
  expect(probes.probed.toSorted()).toEqual(endpoints.toSorted())
  const counts = crawls.map(({ crawler }) => crawler.progress().probes)
  expect(Math.min(...counts)).toBeGreaterThan(50)
  expect(crawls.flatMap(({ errors }) => errors)).toEqual([])
})

test('behavior: live work of another process gets a busy host after a slice', async () => {
  const store = await openStore()
  const probes = createProbes(() => sleep(5))
  const many = Array.from({ length: 60 }, (_, index) => `https://many.example/${index}`)
  await list(store, many)
  startCrawl(store, probes, { sliceMs: 30 })
  await expect.poll(() => probes.probed.length, patient).toBeGreaterThan(0)
  const other = createHostLeases({ store, clock: systemClock, log: () => {} })
  await other.alone('many.example', async () => expect(probes.under.size).toBe(0))
  expect(probes.probed.length).toBeLessThan(30)
})

test('behavior: a crawler that lost the lease of a host stores nothing and leaves the host', async () => {
  const store = await openStore()
  await list(
    store,
    ['a', 'b'].map((path) => `https://api.example/${path}`),
  )
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const probes = createProbes(() => opened)
  const { crawler, errors, stop } = startCrawl(store, probes)
  await expect.poll(() => probes.under.size, patient).toBe(1)
  await store.expire('api.example')
  const other = createHostLeases({ store, clock: systemClock, log: () => {} })
  await other.alone('api.example', async () => {
    open()
    await expect.poll(() => errors, patient).toHaveLength(1)
    // Does not wait for the lease that another process has.
    await stop()
  })
  expect(errors[0]).toMatch(/^probe https:\/\/api\.example\/a failed: The lease of api\.example is lost/)
  expect(probes.probed).toEqual([])
  expect(crawler.progress()).toMatchObject({ probes: 0, failures: 1 })
  // Nothing is postponed either.
  expect(await countDue(store, Date.now())).toBe(2)
})
