import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuzzRuns } from '../testing/fuzzRuns.ts'
import {
  createByteReader,
  entryAt,
  findKey,
  headOf,
  type MapEntry,
  type MapHeader,
  mapKeyOf,
  readMapBody,
  readMapHeader,
  shapeMarker,
  shapesOf,
  toShape,
  writeMapHeader,
} from './index.ts'
import { readRiceHeads } from './riceHeads.ts'
import { packMap, valueBytes } from './testing/packMap.ts'
import { applyMapDiff, createByteWriter, createRiceWriter, writeMapDiff } from './write/index.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((value) => !/\p{Surrogate}/u.test(value))
const amount = fc.bigInt({ min: 0n, max: 10n ** 78n - 1n }).map(String)
const offer = fc.record({
  scheme: text,
  network: text,
  asset: text,
  payTo: fc.oneof(
    text,
    fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  ),
  method: text,
  amountAtomicMin: amount,
  amountAtomicMax: amount,
})
const entry: fc.Arbitrary<MapEntry> = fc.record(
  {
    verdict: fc.constantFrom('safe', 'caution', 'avoid', 'unknown'),
    riskLevel: fc.constantFrom('clean', 'low', 'medium', 'high', 'unknown'),
    receiverStability: fc.constantFrom('new', 'stable', 'changed', null),
    score: fc.oneof(fc.nat(100), fc.constant(undefined)),
    isThin: fc.boolean(),
    rotates: fc.boolean(),
    expirySlot: fc.nat(255).map((slot) => 80_000 + slot),
    resourceHosts: fc.array(text, { minLength: 1, maxLength: 3 }),
    offers: fc.array(offer, { maxLength: 4 }),
  },
  {
    requiredKeys: [
      'verdict',
      'riskLevel',
      'receiverStability',
      'score',
      'isThin',
      'rotates',
      'expirySlot',
      'offers',
    ],
  },
)
const BASE_SLOT = 80_000
const entries = fc.dictionary(fc.webUrl(), entry, { maxKeys: 30 })

test('default: every entry of a map is found again as it was', () => {
  fc.assert(
    fc.property(entries, (all) => {
      const body = readMapBody(packMap(all, { baseSlot: BASE_SLOT }).bytes)
      expect(body.entries).toBe(Object.keys(all).length)
      for (const [url, wanted] of Object.entries(all)) {
        const index = findKey(body, mapKeyOf(url))
        expect(index === undefined ? undefined : entryAt(body, index)).toEqual({
          score: undefined,
          ...wanted,
        })
      }
      expect(findKey(body, mapKeyOf('https://nowhere.example/'))).toBeUndefined()
    }),
  )
})

test('behavior: a diff from any earlier version gives the newer map byte by byte', () => {
  fc.assert(
    fc.property(entries, entries, (before, change) => {
      const packed = packMap(before, { baseSlot: BASE_SLOT })
      const names = Object.keys(before)
      const gone = names.filter((_, index) => index % 3 === 0)
      const after = Object.fromEntries([
        ...Object.entries(before).filter(([url]) => !gone.includes(url)),
        ...Object.entries(change),
      ])
      const next = packMap(after, { baseSlot: BASE_SLOT + 1, tables: packed.tables })
      const urls = Object.keys(after).sort((a, b) => Buffer.compare(mapKeyOf(a), mapKeyOf(b)))
      const changed = urls.flatMap((url, index) => {
        const key = url in before && !gone.includes(url) ? undefined : mapKeyOf(url)
        const value = valueBytes(next.bytes, index)
        return url in change || key !== undefined ? [{ index, key, value }] : []
      })
      const diff = writeMapDiff({
        entries: urls.length,
        baseSlot: BASE_SLOT + 1,
        tables: next.changedRows(packed.tables),
        removals: gone.map(mapKeyOf),
        upserts: changed,
      })
      expect(applyMapDiff(readMapBody(packed.bytes), diff)).toEqual(next.bytes)
    }),
    { numRuns: fuzzRuns(0.1) },
  )
})

test('error: no damage to a map or a diff does more than refuse it', () => {
  const packed = packMap(
    { 'https://a.example/': example, 'https://b.example/x': example },
    { baseSlot: BASE_SLOT },
  )
  const body = readMapBody(packed.bytes)
  const upserts = [{ index: 1, key: mapKeyOf('https://c.example/'), value: valueBytes(packed.bytes, 0) }]
  const diff = writeMapDiff({
    entries: 3,
    baseSlot: BASE_SLOT,
    tables: packed.changedRows(packed.tables),
    removals: [],
    upserts,
  })
  const attempt = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      expect(error).toMatchObject({ name: 'MapFormatError' })
    }
  }
  const damage = (bytes: Uint8Array, at: number, value: number, cut: number) => {
    const copy = bytes.slice(0, cut === 0 ? bytes.length : cut % bytes.length)
    if (copy.length > 0) copy[at % copy.length] = value
    return copy
  }
  fc.assert(
    fc.property(fc.nat(), fc.nat(255), fc.nat(), (at, value, cut) => {
      const map = damage(packed.bytes, at, value, cut)
      attempt(() => {
        const read = readMapBody(map)
        for (let index = 0; index < read.entries; index++) attempt(() => entryAt(read, index))
      })
      attempt(() => readMapBody(applyMapDiff(body, damage(diff, at, value, cut))))
    }),
  )
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => attempt(() => readMapBody(bytes))))
})

test('error: a short body that claims many entries or rows is refused before anything is allocated', () => {
  for (const entries of [17, 1_000_000, 0xffffffff]) {
    const writer = createByteWriter()
    writer.put(new TextEncoder().encode('TSM1'))
    writer.varint(entries)
    writer.put(new Uint8Array(64))
    expect(() => readMapBody(writer.bytes())).toThrow('malformed entries')
  }
})

test('behavior: two entries of one key are both unknown', () => {
  const packed = packMap({ 'https://a.example/': example }, { baseSlot: BASE_SLOT, repeat: 2 })
  const body = readMapBody(packed.bytes)
  expect(body.entries).toBe(2)
  expect(findKey(body, mapKeyOf('https://a.example/'))).toBeUndefined()
})

test('behavior: a map tells whether it may hold templates, by the entries without a verdict', () => {
  const read = (entries: Parameters<typeof packMap>[0]) =>
    readMapBody(packMap(entries, { baseSlot: BASE_SLOT }).bytes).hasShapes
  const marker = {
    [shapeMarker('https://a.example/{}')]: { ...example, verdict: 'unknown' as const, offers: [] },
  }
  expect(read({ 'https://a.example/': example })).toBe(false)
  expect(read({ 'https://a.example/{}': example, ...marker, 'https://b.example/': example })).toBe(true)
})

test('behavior: any ascending numbers survive their coding', () => {
  fc.assert(
    fc.property(fc.uint32Array({ maxLength: 300 }), (numbers) => {
      const heads = numbers.sort()
      const coder = createRiceWriter(heads.length)
      for (const head of heads) coder.put(head)
      expect(readRiceHeads(coder.finish(), heads.length)).toEqual(heads)
    }),
  )
})

test('behavior: keys are those of the design, and 100,000 of them cost under 14.2 bytes each', () => {
  const wanted = createHash('sha256')
    .update('touchstone map v1\nhttps://a.example/x')
    .digest()
    .subarray(0, 16)
  expect(Buffer.from(mapKeyOf('https://a.example/x')).equals(wanted)).toBe(true)
  const heads = Uint32Array.from({ length: 100_000 }, (_, index) =>
    headOf(mapKeyOf(`https://a.example/${index}`)),
  )
  const coder = createRiceWriter(heads.length)
  for (const head of heads.sort()) coder.put(head)
  expect(coder.finish().length / heads.length + 12).toBeLessThan(14.2)
})

test('behavior: a listed template is among the shapes of what it matches, and there are at most 64', () => {
  expect(toShape('https://a.example/%7Bcity%7D/now/:day')).toBe('https://a.example/{}/now/{}')
  expect(shapesOf('https://a.example/paris/now/1')).toContain('https://a.example/{}/now/{}')
  expect(shapesOf('https://a.example/paris')).toEqual(['https://a.example/{}'])
  expect(shapesOf('https://a.example/')).toEqual([])
  expect(shapesOf(`https://a.example/${'x/'.repeat(900)}`)).toHaveLength(64)
})

const header: MapHeader = {
  issuer: 'https://touchstone.example',
  version: 7,
  previous: 'ab'.repeat(32),
  issuedAt: Date.UTC(2026, 5, 1),
  expiresAt: Date.UTC(2026, 5, 1, 2),
  entries: 3,
  bytes: 120,
  sha256: 'cd'.repeat(32),
  scoreVersion: '1.2.0',
}

test('default: a header is read as it was written', () => {
  for (const wanted of [
    header,
    { ...header, previous: null },
    { ...header, proof: 'c2sp.org/tlog-proof@v1\nindex 4\n' },
  ]) {
    expect(readMapHeader(writeMapHeader(wanted))).toEqual(wanted)
  }
})

test('error: refuses a header with a line too much, too few or changed', () => {
  const lines = writeMapHeader(header).split('\n')
  for (const at of lines.keys()) {
    const without = lines.filter((_, index) => index !== at).join('\n')
    const twice = lines.flatMap((line, index) => (index === at ? [line, line] : [line])).join('\n')
    for (const text of [without, twice]) expect(() => readMapHeader(text)).toThrow('malformed header')
  }
  for (const [from, to] of [
    ['version 7', 'version 07'],
    ['version 7', 'version -7'],
    ['T00:00:00.000Z', 'T24:00:00.000Z'],
    ['bytes 120', 'bytes 0'],
    ['v1', 'v2'],
  ]) {
    expect(() => readMapHeader(writeMapHeader(header).replace(from ?? '', to ?? ''))).toThrow('malformed')
  }
})

test('error: a number that is not in its shortest form is refused', () => {
  expect(() => createByteReader(Uint8Array.of(0x80, 0)).varint()).toThrow('malformed number')
  expect(() => createByteReader(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x7f)).varint()).toThrow(
    'malformed number',
  )
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffffff }), (value) => {
      const writer = createByteWriter()
      writer.varint(value)
      expect(createByteReader(writer.bytes()).varint()).toBe(value)
    }),
  )
})

const example: MapEntry = {
  verdict: 'safe',
  score: 91,
  riskLevel: 'clean',
  receiverStability: 'stable',
  isThin: false,
  rotates: false,
  expirySlot: BASE_SLOT + 8,
  offers: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x1111111111111111111111111111111111111111',
      method: 'GET',
      amountAtomicMin: '1000',
      amountAtomicMax: '1000',
    },
  ],
}
