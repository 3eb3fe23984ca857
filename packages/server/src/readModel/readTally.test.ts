import { networkAddressKey, registeredDomainOf } from '@touchstone402/shared'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HostDocument } from '../facts/hostDocument.ts'
import { HOUR, toTimestamp } from '../facts/times.ts'
import { writeCatalog } from '../http/answers/writeDatasets.ts'
import { isCategory, median } from '../judge/prices.ts'
import { LIMITS } from '../judge/spec.ts'
import { systemClock } from '../lib/clock.ts'
import { describeStatus } from '../publish/catalog.ts'
import { describeProfile, isListed, judgeHost } from '../publish/profile.ts'
import { describeReport } from '../publish/report.ts'
import { currentVerdict, isLive } from '../publish/verdict.ts'
import { listHosts } from '../store/listHosts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { NOON } from '../store/testing/records.ts'
import { createReadModel } from './createReadModel.ts'
import { rankServices } from './rankServices.ts'
import { readSharedBy } from './readRecord.ts'
import { readTally } from './readTally.ts'
import { anyHosts } from './testing/anyHosts.ts'
import { putHosts } from './testing/putHosts.ts'
import { onlyListed, sortHosts, tallyHosts } from './testing/tallyHosts.ts'

const anyTime = fc.integer({ min: 0, max: 60 * 60 }).map((minutes) => NOON + (minutes * HOUR) / 60)

async function open(hosts: readonly HostDocument[]) {
  const store = createMemoryStore()
  await putHosts(store, ...hosts)
  return store
}

test('default: totals equal a pass over all endpoints, at any time', async () => {
  await fc.assert(
    fc.asyncProperty(anyHosts, anyTime, async (hosts, now) => {
      const tally = await readTally(await open(hosts), now)
      const plain = tallyHosts(hosts, now)
      expect(tally).toEqual(plain)
      expect(describeStatus(tally)).toEqual(describeStatus(plain))
      const rest = { incidents: { open: 0, recent: 0 }, changes: [] }
      expect(describeReport({ tally, ...rest })).toEqual(describeReport({ tally: plain, ...rest }))
    }),
  )
})

test('default: hosts come in the order of a sort by verdict, score and name', async () => {
  await fc.assert(
    fc.asyncProperty(anyHosts, anyTime, fc.nat(9), async (hosts, now, limit) => {
      const store = await open(hosts)
      const sorted = sortHosts(hosts, now)
      const working = sorted.filter((name) =>
        hosts.some(
          ({ host, endpoints }) =>
            host === name && endpoints.some((one) => isListed(one) && isLive(one, now)),
        ),
      )
      for (const [all, names] of [
        [true, sorted],
        [false, working],
      ] as const) {
        const ranked = await rankServices(store, { all, limit }, now)
        expect(ranked).toEqual({ hosts: names.slice(0, limit), total: names.length })
      }
      const first: string[] = []
      for await (const host of listHosts(store, { order: 'best', limit: 3 }, now)) first.push(host)
      expect(first).toEqual(sorted.slice(0, 3))
    }),
  )
})

test('default: the catalog has the profiles of working services that are safe or with caution, best first', async () => {
  await fc.assert(
    fc.asyncProperty(anyHosts, anyTime, async (any, now) => {
      const hosts = onlyListed(any)
      let text = ''
      const deps = { store: await open(hosts), clock: { ...systemClock, now: () => now } }
      for await (const chunk of writeCatalog(deps)) text += chunk
      const services = sortHosts(hosts, now)
        .flatMap((name) => hosts.filter(({ host }) => host === name))
        .filter(({ endpoints }) => ['safe', 'caution'].includes(judgeHost(endpoints, now).verdict))
        .map((host) => describeProfile(host, now))
      const { risks: riskMap } = tallyHosts(hosts, now)
      expect(JSON.parse(text)).toEqual(
        JSON.parse(JSON.stringify({ asOf: toTimestamp(now), services, riskMap })),
      )
      expect(Object.keys(JSON.parse(text))).toEqual(['asOf', 'services', 'riskMap'])
    }),
  )
})

test('default: prices of categories, ages and shared receivers equal a pass over all endpoints', async () => {
  await fc.assert(
    fc.asyncProperty(anyHosts, anyTime, async (any, now) => {
      const store = await open(any)
      const hosts = onlyListed(any)
      const { categoryPrice } = await createReadModel(store, { now: () => now })
      for (const category of ['weather', 'a/b', '__proto__', 'other', 'unheard', null])
        expect([category, await categoryPrice(category)]).toEqual([
          category,
          plainPrice(hosts, category, now),
        ])
      for (const address of ['0xAA', '0xbb', '0xcc'])
        expect(await readSharedBy(store, 'eip155:8453', address)).toBe(plainSharedBy(hosts, address))
      const oldest = Math.min(...hosts.flatMap(({ endpoints }) => endpoints.map((one) => one.firstSeen)))
      expect((await store.totals(now)).firstSeen).toBe(hosts.length === 0 ? null : oldest)
    }),
  )
})

function plainPrice(hosts: readonly HostDocument[], category: string | null, now: number) {
  const all = hosts.flatMap(({ endpoints }) => endpoints)
  const own = all.filter((one) => one.category === category)
  const isOld = (name: string) =>
    hosts.some(
      ({ host, endpoints }) =>
        host === name && Math.min(...endpoints.map((one) => one.firstSeen)) <= now - LIMITS.comparableAfterMs,
    )
  const priceOf = (endpoints: typeof all) => {
    const domains = new Map<string, Set<string>>()
    for (const one of endpoints) {
      const { host, priceUsd, category: of } = one
      if (priceUsd === null || currentVerdict(one, now).status !== 'live' || !isOld(host)) continue
      const domain = registeredDomainOf(host)
      domains.set(domain, (domains.get(domain) ?? new Set()).add(`${host} ${of} ${priceUsd}`))
    }
    const each = [...domains.values()].map((own) =>
      median([...own].map((text) => Number(text.split(' ').at(-1)))),
    )
    return each.length === 0 ? undefined : { medianUsd: median(each), count: each.length }
  }
  const isReal = isCategory(category) && own.length <= (all.length * LIMITS.categoryMaxSharePct) / 100
  const whole = priceOf(all)
  return (isReal ? priceOf(own) : undefined) ?? (whole && { ...whole, isWhole: true })
}

function plainSharedBy(hosts: readonly HostDocument[], address: string): number | null {
  const key = networkAddressKey('eip155:8453', address)
  const naming = hosts.filter(({ endpoints }) =>
    endpoints.some(
      ({ network, payTo }) => network !== null && payTo !== null && networkAddressKey(network, payTo) === key,
    ),
  )
  return naming.length === 0 ? null : naming.length
}
