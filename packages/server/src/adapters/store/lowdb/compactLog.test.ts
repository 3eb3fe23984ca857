import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DAY } from '../../../domain/facts/times.ts'
import type { HostFacts, Store } from '../../../ports/oldStore.ts'
import { ANSWER_KEPT_MS } from '../claimRules.ts'
import { anIncident, anObservation, aWantedClaim, documentOf, NOON } from '../testing/records.ts'
import { useScratchFolder } from '../testing/scratch.ts'
import { createLowdbStore } from './createLowdbStore.ts'

const scratch = useScratchFolder()
const log = () => join(scratch(), 'log')

function open(now = NOON) {
  const onReport = (report: unknown) => expect(report).toBeUndefined()
  const options = { segmentBytes: 20_000, retentionDays: 30, now: () => now, onReport }
  return createLowdbStore({ directory: scratch(), ...options })
}

async function logBytes(): Promise<number> {
  const sizes = (await readdir(log())).map(async (name) => (await stat(join(log(), name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Adds 60 days of 4 observations each, one of them down, with a receiver change on day 10. */
async function observeSixtyDays(store: Store): Promise<void> {
  const [offer] = anObservation().offers
  if (!offer) throw new Error('an observation has an offer')
  for (let look = 0; look < 240; look++) {
    const at = NOON + look * (DAY / 4)
    const isDown = look % 4 === 3
    const offers = isDown ? [] : [{ ...offer, payTo: look < 40 ? offer.payTo : '0x99' }]
    const outcome = isDown ? 'down' : 'up'
    await store.append([anObservation({ id: `o${look}`, at, outcome, offers, latencyMs: look % 4 })])
  }
}

const totals = ({ observations, daily }: HostFacts) =>
  observations.length + daily.reduce((sum, day) => sum + day.up + day.down + day.notMeasured, 0)

test('default: folds old observations into days, except cited ones and those around a change', async () => {
  const store = await open()
  await observeSixtyDays(store)
  const incident = anIncident({ observations: ['o7'] })
  await store.append([{ kind: 'incident', id: 'f', at: NOON, incident }])
  const before = await store.hostFacts('api.example')
  const { foldedHosts, cleanedSegments } = await store.compact()
  expect(foldedHosts).toBe(1)
  expect(cleanedSegments).toBeGreaterThan(2)

  const facts = await store.hostFacts('api.example')
  const foldBefore = Math.floor((NOON + 239 * (DAY / 4) - 30 * DAY) / DAY) * DAY
  const young = before.observations.filter((one) => one.at >= foldBefore)
  const old = facts.observations.filter((one) => one.at < foldBefore)
  expect(facts.observations.slice(old.length)).toEqual(young)
  // First, cited, both sides of the receiver change, last.
  expect(old.map((one) => one.id)).toEqual(['o0', 'o7', 'o38', 'o40', expect.any(String)])
  expect(facts.daily[1]).toEqual({
    endpoint: 'https://api.example/a',
    host: 'api.example',
    date: '2026-06-02',
    up: 3,
    down: 1,
    notMeasured: 0,
    latencyMsP50: 1,
    latencyMsP90: 2,
  })
  expect(totals(facts) - old.length).toBe(240)

  await store.close()
  const again = await open()
  expect(await again.hostFacts('api.example')).toEqual(facts)
  await again.close()
})

test('behavior: repeated folding counts nothing twice', async () => {
  const store = await open()
  await observeSixtyDays(store)
  await store.compact()
  const once = await store.hostFacts('api.example')
  expect(await store.compact()).toMatchObject({ foldedHosts: 0 })
  expect(await store.hostFacts('api.example')).toEqual(once)
  await store.append([anObservation({ id: 'late', at: NOON + 70 * DAY })])
  expect(await store.compact()).toMatchObject({ foldedHosts: 1 })
  const twice = await store.hostFacts('api.example')
  const kept = twice.observations.filter((one) => one.at < NOON + 40 * DAY - DAY / 2)
  expect(totals(twice) - kept.length).toBe(241)
  await store.close()
  const again = await open()
  expect(await again.hostFacts('api.example')).toEqual(twice)
  await again.close()
})

test('behavior: a crash between fold and cleaning loses nothing', async () => {
  const store = await open()
  await observeSixtyDays(store)
  const segments = new Map<string, Buffer>()
  for (const name of await readdir(log())) segments.set(name, await readFile(join(log(), name)))
  const sealed = [...segments.keys()].sort().slice(0, -1)
  await store.compact()
  const facts = await store.hostFacts('api.example')
  await store.close()
  // Restore the segments as they were before the cleaning.
  for (const name of sealed) await writeFile(join(log(), name), segments.get(name) ?? '')
  const again = await open()
  expect(await again.hostFacts('api.example')).toEqual(facts)
  await again.compact()
  expect(await again.hostFacts('api.example')).toEqual(facts)
  await again.close()
})

test('behavior: removes replaced documents and claims from the log and keeps their latest state', async () => {
  const store = await open()
  for (let round = 0; round < 200; round++) {
    await store.putHost(documentOf(`host${round % 3}.example`, NOON + round))
  }
  const answer = { status: 200, headers: {}, body: 'x'.repeat(5000) }
  for (let nonce = 0; nonce < 20; nonce++) {
    const wanted = aWantedClaim({ nonce: `${nonce}` })
    await store.claims.claim(wanted)
    await store.claims.advance(wanted, 'settling', { at: NOON, answer })
    await store.claims.advance(wanted, 'settled', { at: NOON, txHash: '0xabc' })
  }
  await store.putHost(documentOf('last.example', NOON))
  const before = await logBytes()
  const { freedBytes } = await store.compact()
  expect(await logBytes()).toBe(before - freedBytes)
  expect(freedBytes).toBeGreaterThan(before / 2)
  await store.close()

  const again = await open(NOON + ANSWER_KEPT_MS - 1)
  for (const round of [197, 198, 199]) {
    const host = `host${round % 3}.example`
    expect(await again.getHost(host)).toEqual(documentOf(host, NOON + round))
  }
  expect(await again.claims.get(aWantedClaim({ nonce: '3' }))).toMatchObject({ state: 'settled', answer })
  expect(await again.claims.unsettled()).toEqual([])
  await again.close()
})

test('behavior: accepts writes while the log is cleaned', async () => {
  const store = await open()
  await observeSixtyDays(store)
  const cleaning = store.compact()
  for (let index = 0; index < 50; index++) {
    await store.append([anObservation({ id: `during${index}`, at: NOON + 61 * DAY })])
  }
  await cleaning
  const facts = await store.hostFacts('api.example')
  expect(facts.observations.filter((one) => one.id.startsWith('during'))).toHaveLength(50)
  await store.close()
  const again = await open()
  expect(await again.hostFacts('api.example')).toEqual(facts)
  await again.close()
})
