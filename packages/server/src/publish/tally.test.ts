import { expect, test } from 'vitest'
import type { EndpointState, HostDocument } from '../facts/hostDocument.ts'
import { HOUR } from '../facts/times.ts'
import { readTally } from '../readModel/readTally.ts'
import { putHosts } from '../readModel/testing/putHosts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aListing, documentOf, NOON } from '../store/testing/records.ts'

/** Creates an endpoint with the health that each directory claims. */
const listed = (
  healthy: Readonly<Record<string, boolean | null>>,
  changes: Partial<EndpointState> = {},
): EndpointState => {
  const [state] = documentOf('a.example', NOON).endpoints
  if (state === undefined) throw new Error('a document has an endpoint')
  const { claims } = aListing()
  const listings = Object.entries(healthy).map(([directory, claim]) =>
    aListing({ directory, claims: { ...claims, healthy: claim } }),
  )
  return { ...state, listings, listedBy: Object.keys(healthy), ...changes }
}
const tallyHosts = async (hosts: readonly HostDocument[], now: number) => {
  const store = createMemoryStore()
  await putHosts(store, ...hosts)
  return readTally(store, now)
}
const tally = (states: readonly EndpointState[], now = NOON) => {
  const endpoints = states.map((state, path) => ({ ...state, endpoint: `https://a.example/${path}` }))
  return tallyHosts([{ host: 'a.example', endpoints, updatedAt: NOON }], now)
}
const auditDirectories = async (endpoints: readonly EndpointState[], now: number) =>
  (await tally(endpoints, now)).directories
const DARK = { status: 'dark', verdict: 'avoid', score: 0 } as const

test('default: compares each directory’s claims with the measurements', async () => {
  const endpoints = [
    listed({ '402index': true, bazaar: null }),
    listed({ '402index': true, bazaar: null }, DARK),
    listed({ '402index': false }),
    listed(
      { '402index': true },
      { status: 'unmeasured', verdict: 'unknown', score: null, confirmedAt: null },
    ),
  ]
  expect(await auditDirectories(endpoints, NOON)).toEqual([
    { directory: '402index', listed: 4, claimedHealthy: 3, working: 2, accuracyPct: 66.7 },
    // Without a stated health, a listing is a claim to be healthy.
    { directory: 'bazaar', listed: 2, claimedHealthy: 2, working: 1, accuracyPct: 50 },
  ])
})

test('behavior: states no accuracy without a current measurement', async () => {
  expect(await auditDirectories([listed({ bazaar: null })], NOON + 49 * HOUR)).toEqual([
    { directory: 'bazaar', listed: 1, claimedHealthy: 1, working: 0, accuracyPct: null },
  ])
  expect(await auditDirectories([], NOON)).toEqual([])
})

test('behavior: lists the top providers by live endpoints, then score, then name', async () => {
  const hosts = Array.from({ length: 30 }, (_, number) => {
    const document = documentOf(`h${String(number).padStart(2, '0')}.example`, NOON)
    const endpoints = document.endpoints.map((endpoint) => ({ ...endpoint, score: number === 7 ? 95 : 90 }))
    const second = endpoints.map((endpoint) => ({ ...endpoint, endpoint: `${endpoint.endpoint}/2` }))
    return { ...document, endpoints: number === 20 ? [...endpoints, ...second] : endpoints }
  })
  const { topProviders, topHealthy, statuses } = await tallyHosts(hosts, NOON)
  const names = ['h20', 'h07', 'h00', 'h01', 'h02', 'h03', 'h04', 'h05', 'h06', 'h08']
  expect(topProviders.map(({ host }) => host)).toEqual(names.map((name) => `${name}.example`))
  expect(topProviders[0]).toMatchObject({ live: 2, trustScore: 90 })
  expect(topHealthy.map(({ trust }) => trust)).toEqual([95, ...Array<number>(9).fill(90)])
  expect(statuses.get('live')).toBe(31)
})

test('behavior: the top lists hold safe hosts only', async () => {
  const cloaked = listed({}, { flags: ['cloaked'], riskLevel: 'high', score: 100 })
  const { topProviders, topHealthy } = await tally([listed({}), cloaked])
  expect([topProviders, topHealthy]).toEqual([[], []])
})
