import type { Term } from '@touchstone402/shared'
import { entryAt, findKey, mapKeyName, mapKeyOf, readMapBody, readMapHeader } from '@touchstone402/shared/map'
import { applyMapDiff } from '@touchstone402/shared/map-write'
import { formatVerifierKey, openNote, parseVerifierKey } from '@touchstone402/transparency'
import { beforeEach, expect, test } from 'vitest'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { createDecisionSigner } from '../keys/createDecisionSigner.ts'
import { publishMapFiles, readMapFile } from '../store/documents.ts'
import type { Store } from '../store/store.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aState } from '../store/testing/documents.ts'
import { NOON } from '../store/testing/records.ts'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { withUnits } from '../store/testing/withFaults.ts'
import { clockAt } from '../testing/clockAt.ts'
import { type MapMakerDeps, type OpenMapDraft, openMapDraft } from './createMapMaker.ts'

const ISSUER = 'https://touchstone.example'
const scratch = useScratchFolder()
let directory = ''
let now = NOON
let store: Store
let files: Store

beforeEach(() => {
  directory = scratch()
  now = NOON
  store = createMemoryStore()
  files = store
})

const term = (payTo: string, amount: string): Term => ({
  x402Version: 2,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo,
  method: 'GET',
  amountAtomicMin: amount,
  amountAtomicMax: amount,
})
const receiver = (digit: number) => `0x${String(digit).repeat(40)}`
const urlOf = (index: number) => `https://seller-${index % 7}.example/${index}`

function put(endpoint: string, changes: Partial<EndpointState> = {}): Promise<void> {
  const terms = [term(receiver(1), '1000')]
  return store.write('putEndpoint', aState({ endpoint, derivedAt: now, terms, ...changes }))
}

async function open(proveLeaf?: MapMakerDeps['proveLeaf']): Promise<OpenMapDraft> {
  const maker = await openMapDraft({
    ...(proveLeaf && { proveLeaf }),
    store,
    files,
    signer: await createDecisionSigner({ directory }),
    issuer: ISSUER,
    scoreVersion: '1.2.0',
    clock: clockAt(() => now),
    onError: (error) => {
      throw error
    },
  })
  await maker.scan()
  return maker
}

async function step(maker: OpenMapDraft, ms: number): Promise<void> {
  now += ms
  await maker.absorb()
  await maker.publish()
}

async function readLatest() {
  const signer = await createDecisionSigner({ directory })
  const key = Buffer.from(String(signer.jwks().keys[0]?.x), 'base64url')
  const verifier = parseVerifierKey(formatVerifierKey(mapKeyName(ISSUER), key))
  const { text } = await openNote((await readMapFile(files, 'latest')) ?? '', [verifier])
  const header = readMapHeader(text)
  const bytes = new Uint8Array((await readMapFile(files, `${header.version}`)) ?? [])
  const body = readMapBody(bytes)
  expect(bytes.length).toBe(header.bytes)
  const find = (url: string) => {
    const index = findKey(body, mapKeyOf(url))
    return index === undefined ? undefined : entryAt(body, index)
  }
  return { header, bytes, body, find }
}

test('default: publishes every verdict of the store under a key of the service', async () => {
  for (let index = 0; index < 50; index++) await put(urlOf(index), { score: 50 + index })
  const maker = await open()
  await step(maker, 0)
  const { header, find } = await readLatest()
  expect(header).toMatchObject({
    issuer: ISSUER,
    version: 1,
    previous: null,
    entries: 50,
    expiresAt: now + 2 * HOUR,
  })
  expect(find(urlOf(42))).toMatchObject({ verdict: 'safe', score: 92, isThin: false })
  expect(find(urlOf(42))?.offers).toMatchObject([
    { payTo: receiver(1), amountAtomicMax: '1000', method: 'GET' },
  ])
  expect(find('https://seller-1.example/none')).toBeUndefined()
  await maker.close()
})

test('behavior: a header is signed again after 10 minutes, a version comes after 15 at the earliest', async () => {
  await put(urlOf(1))
  const maker = await open()
  await step(maker, 0)
  await put(urlOf(2))
  await step(maker, 9 * MINUTE)
  expect((await readLatest()).header).toMatchObject({ version: 1, issuedAt: NOON })
  await step(maker, MINUTE)
  expect((await readLatest()).header).toMatchObject({ version: 1, issuedAt: now })
  await step(maker, 5 * MINUTE)
  expect((await readLatest()).header).toMatchObject({ version: 2, entries: 2 })
  await step(maker, 20 * MINUTE)
  expect((await readLatest()).header).toMatchObject({ version: 2, issuedAt: now })
  await maker.close()
})

test('behavior: after the clock was set back, header and entries are from before now', async () => {
  await put(urlOf(1))
  const maker = await open()
  await step(maker, 0)
  now += 2 * DAY
  await put(urlOf(2))
  await step(maker, 0)
  expect((await readLatest()).header.issuedAt).toBe(NOON + 2 * DAY)
  await step(maker, -2 * DAY)
  const { header, find } = await readLatest()
  expect(header).toMatchObject({ version: 3, issuedAt: NOON, entries: 1 })
  expect([find(urlOf(1))?.verdict, find(urlOf(2))]).toEqual(['safe', undefined])
  expect(maker.restMs()).toBe(10 * MINUTE)
  await maker.close()
})

test('behavior: one diff leads to the newest version from every version that it covers', async () => {
  for (let index = 0; index < 200; index++) await put(urlOf(index))
  const maker = await open()
  await step(maker, 0)
  const bodies = [await readLatest()]
  for (let round = 1; round <= 9; round++) {
    now += HOUR
    // New, changed, unmeasured, and back again, with receivers that come and go.
    await put(urlOf(200 + round), { terms: [term(receiver(round), `${round}`)] })
    await put(urlOf(round), { terms: [term(receiver(round), '7')], resourceHosts: [`${round}.example`] })
    const state = round % 2 === 0 ? {} : ({ status: 'unmeasured' } as const)
    await put(urlOf(50), state)
    await step(maker, 0)
    bodies.push(await readLatest())
  }
  const last = bodies.at(-1)
  if (last === undefined) throw new Error('nothing was published')
  expect(last.header).toMatchObject({ version: 10, previous: bodies.at(-2)?.header.sha256 })
  let tried = 0
  for (const from of [9, 8, 6, 2]) {
    const diff = await readMapFile(files, `${from}-10`)
    expect(diff).toBeDefined()
    for (const older of bodies.slice(from - 1, -1)) {
      expect(Buffer.compare(applyMapDiff(older.body, diff ?? new Uint8Array()), last.bytes)).toBe(0)
      tried += 1
    }
  }
  expect(tried).toBe(1 + 2 + 4 + 8)
  expect(await readMapFile(files, '7-10')).toBeUndefined()
  expect(await readMapFile(files, '8')).toBeUndefined()
  await maker.close()
})

test('behavior: entries leave when they expire, and are renewed only when under a day is left', async () => {
  await put(urlOf(1))
  await put(urlOf(2))
  const maker = await open()
  await step(maker, 0)
  const first = (await readLatest()).find(urlOf(1))
  now += 12 * HOUR
  await put(urlOf(1))
  await step(maker, 0)
  expect((await readLatest()).find(urlOf(1))?.expirySlot).toBe(first?.expirySlot)
  now += 13 * HOUR
  await put(urlOf(1))
  await step(maker, 0)
  expect((await readLatest()).find(urlOf(1))?.expirySlot).toBeGreaterThan(first?.expirySlot ?? 0)
  await step(maker, DAY)
  const { find } = await readLatest()
  expect([find(urlOf(1))?.verdict, find(urlOf(2))]).toEqual(['safe', undefined])
  await maker.close()
})

test('behavior: goes on after a restart with the next version and diffs from the last', async () => {
  for (let index = 0; index < 30; index++)
    await put(urlOf(index), { terms: [term(receiver(index % 10), `${index}`)] })
  const before = await open()
  await step(before, 0)
  await before.close()
  const older = await readLatest()
  now += HOUR
  await put(urlOf(3), { terms: [term(receiver(4), '99')] })
  const after = await open()
  await step(after, 0)
  const newer = await readLatest()
  // No guard has seen a version between: it goes on with one above all that ten more could be.
  expect(newer.header).toMatchObject({ version: 17, previous: older.header.sha256 })
  expect(newer.find(urlOf(3))?.offers[0]?.amountAtomicMax).toBe('99')
  expect(newer.find(urlOf(5))?.offers[0]?.amountAtomicMax).toBe('5')
  const diff = (await readMapFile(files, '1-17')) ?? new Uint8Array()
  expect(Buffer.compare(applyMapDiff(older.body, diff), newer.bytes)).toBe(0)
  await after.close()
})

test('behavior: after an older back-up the next version is higher than any that was published', async () => {
  await put(urlOf(1))
  const before = await open()
  await step(before, 0)
  const backUp = new Map(
    await Promise.all(['latest', '1'].map(async (name) => [name, await readMapFile(files, name)] as const)),
  )
  for (let round = 0; round < 5; round++) {
    await put(urlOf(2 + round))
    await step(before, 15 * MINUTE)
  }
  await before.close()
  const lost = (await readLatest()).header
  expect(lost.version).toBe(6)
  files = createMemoryStore()
  const latest = Buffer.from(backUp.get('latest') ?? '').toString()
  await publishMapFiles(files, new Map([['1', backUp.get('1') ?? new Uint8Array()]]), {
    latest,
    isKept: () => true,
  })
  const after = await open()
  await step(after, 0)
  expect((await readLatest()).header.version).toBeGreaterThan(lost.version)
  await after.close()
})

test('behavior: a back-up of minutes ago may lack a version, whose number is not used again', async () => {
  await put(urlOf(1))
  const before = await open()
  await step(before, 0)
  await step(before, 10 * MINUTE)
  const [latest, body] = await Promise.all(['latest', '1'].map((name) => readMapFile(files, name)))
  await put(urlOf(2))
  await step(before, 5 * MINUTE)
  await before.close()
  expect((await readLatest()).header.version).toBe(2)
  files = createMemoryStore()
  await publishMapFiles(files, new Map([['1', body ?? new Uint8Array()]]), {
    latest: Buffer.from(latest ?? '').toString(),
    isKept: () => true,
  })
  const after = await open()
  await step(after, MINUTE)
  const { version } = (await readLatest()).header
  expect(version).toBeGreaterThan(2)
  expect(await readMapFile(files, `1-${version}`)).toBeDefined()
  await after.close()
})

test('behavior: a version that could not be published is never given to another map', async () => {
  await put(urlOf(1))
  const logged: string[] = []
  const maker = await open(async ({ version, sha256 }) => {
    logged.push(`${version} ${sha256}`)
    return undefined
  })
  const { write } = files
  Object.assign(
    files,
    withUnits(files, { putMapFiles: () => Promise.reject(new Error('the database is gone')) }),
  )
  await expect(step(maker, 0)).rejects.toThrow('the database is gone')
  Object.assign(files, { write })
  await put(urlOf(2))
  await step(maker, MINUTE)
  const { version, sha256 } = (await readLatest()).header
  expect(logged.filter((one) => one.startsWith(`${version} `))).toEqual([`${version} ${sha256}`])
  expect(logged).toHaveLength(2)
  await maker.close()
})

test('behavior: a stored map that this version cannot read is rebuilt', async () => {
  await put(urlOf(1))
  const before = await open()
  await step(before, 0)
  await before.close()
  const latest = Buffer.from((await readMapFile(files, 'latest')) ?? '').toString()
  const older = new Uint8Array(Buffer.from('TSM1, as versions before wrote it'))
  await publishMapFiles(files, new Map([['1', older]]), { latest, isKept: () => true })
  const after = await open()
  await step(after, MINUTE)
  const { header, find } = await readLatest()
  expect(header.version).toBeGreaterThan(1)
  expect(find(urlOf(1))?.verdict).toBe('safe')
  // No diff starts from an unreadable map.
  expect(await readMapFile(files, `1-${header.version}`)).toBeUndefined()
  await put(urlOf(2))
  await step(after, 15 * MINUTE)
  expect(await readMapFile(files, `${header.version}-${header.version + 1}`)).toBeDefined()
  await after.close()
})

test('behavior: a template stands under its shape, and two of one shape are both unknown', async () => {
  await put('https://a.example/weather/%7Bcity%7D')
  await put('https://a.example/news/:day')
  await put('https://a.example/news/%7Bdate%7D')
  const maker = await open()
  await step(maker, 0)
  const { find } = await readLatest()
  expect(find('https://a.example/weather/{}')?.verdict).toBe('safe')
  expect(find('https://a.example 2')?.verdict).toBe('unknown')
  expect(find('https://a.example/news/{}')).toBeUndefined()
  await maker.close()
})

test('behavior: texts of a seller that have no room leave the endpoint unknown', async () => {
  await put(urlOf(1), { terms: [{ ...term(receiver(1), '1'), asset: 'x'.repeat(5000) }] })
  await put(urlOf(2), { terms: Array.from({ length: 65 }, () => term(receiver(1), '1')) })
  const maker = await open()
  await step(maker, 0)
  expect((await readLatest()).header.entries).toBe(0)
  await maker.close()
})
