import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuzzRuns } from '../testing/fuzzRuns.ts'
import {
  entryAt,
  findKey,
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
import * as reader12 from './testing/mapReader12.ts'
import { packMap, recordOf, valueBytes } from './testing/packMap.ts'
import { applyMapDiff, encodeRow, writeMapBody, writeMapDiff } from './write/index.ts'

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
    delivered: fc.record({
      month: text,
      paidUsd: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
    }),
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

test('behavior: an older guard reads every entry of a map that states deliveries, without the delivery', () => {
  fc.assert(
    fc.property(entries, (all) => {
      const body = reader12.readMapBody(packMap(all, { baseSlot: BASE_SLOT }).bytes)
      for (const [url, { delivered: _, ...wanted }] of Object.entries(all)) {
        const index = reader12.findKey(body, mapKeyOf(url))
        expect(index === undefined ? undefined : reader12.entryAt(body, index)).toEqual({
          score: undefined,
          ...wanted,
        })
      }
    }),
  )
})

test('behavior: a map without deliveries has the bytes that it had before they were stated', () => {
  const sold: MapEntry = {
    verdict: 'safe',
    score: 95,
    riskLevel: 'clean',
    receiverStability: 'stable',
    isThin: false,
    rotates: false,
    expirySlot: BASE_SLOT + 3,
    offers: ['a', 'b'].map((digit) => ({
      scheme: 'exact',
      network: 'eip155:8453',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: `0x${digit.repeat(40)}`,
      method: 'GET',
      amountAtomicMin: '10000',
      amountAtomicMax: '12000',
    })),
  }
  const { bytes } = packMap({ 'https://api.example/a': sold }, { baseSlot: BASE_SLOT })
  // Recorded with the writer of score 1.2.0.
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(
    'b562df36704cbb0ce3727188889adf35341c73c04e3ab0bb1c432d5fdaf4caa3',
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
      const next = packMap(after, { baseSlot: BASE_SLOT + 1, rows: packed.rows })
      const urls = Object.keys(after).sort((a, b) => Buffer.compare(mapKeyOf(a), mapKeyOf(b)))
      const isAdded = (url: string) => !(url in before) || gone.includes(url)
      const diff = writeMapDiff({
        baseSlot: BASE_SLOT + 1,
        entries: urls.length,
        rows: next.rows.length,
        removed: gone.map(mapKeyOf).sort((a, b) => Buffer.compare(a, b)),
        added: urls.flatMap((url, index) => (isAdded(url) ? [recordOf(next.bytes, index)] : [])),
        changed: urls.flatMap((url, index) =>
          url in change && !isAdded(url) ? [{ index, value: valueBytes(next.bytes, index) }] : [],
        ),
        changedRows: next.rows.flatMap((text, row) =>
          row < packed.rows.length ? [] : [{ row, bytes: encodeRow(text) }],
        ),
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
  const added = Buffer.concat([mapKeyOf('https://c.example/'), valueBytes(packed.bytes, 0)])
  const diff = writeMapDiff({
    baseSlot: BASE_SLOT,
    entries: 3,
    rows: packed.rows.length + 1,
    removed: [],
    added: [added],
    changed: [{ index: 0, value: valueBytes(packed.bytes, 1) }],
    changedRows: [{ row: packed.rows.length, bytes: encodeRow('"a receiver"') }],
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
  const bytes = packMap({ 'https://a.example/': example }, { baseSlot: BASE_SLOT }).bytes
  for (const at of [8, 12]) {
    for (const count of [17_000, 1_000_000, 0xffffffff]) {
      const copy = bytes.slice()
      new DataView(copy.buffer).setUint32(at, count)
      expect(() => readMapBody(copy)).toThrow('malformed entries')
    }
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

test('behavior: keys are those of the design, and a record costs 24 bytes', () => {
  const wanted = createHash('sha256')
    .update('touchstone map v1\nhttps://a.example/x')
    .digest()
    .subarray(0, 16)
  expect(Buffer.from(mapKeyOf('https://a.example/x')).equals(wanted)).toBe(true)
  const lengthOf = (entries: number) =>
    writeMapBody({ baseSlot: 0, records: new Uint8Array(25 * entries), rows: [] }).length
  expect(lengthOf(100) - lengthOf(0)).toBe(2400)
})

test('error: keys out of order, and counts of first bytes that do not fit them, are refused', () => {
  const packed = packMap(
    { 'https://a.example/': example, 'https://b.example/x': example },
    { baseSlot: BASE_SLOT },
  )
  const { records } = readMapBody(packed.bytes)
  const swapped = packed.bytes.slice()
  swapped.set(records.subarray(26), 1040)
  swapped.set(records.subarray(1, 25), 1064)
  const sameFirst = records.slice()
  sameFirst[25] = sameFirst[0] ?? 0
  const inOrder = [records.subarray(1, 16), records.subarray(26, 41)].sort(Buffer.compare)
  sameFirst.set(inOrder[1] ?? [], 1)
  sameFirst.set(inOrder[0] ?? [], 26)
  const unsorted = writeMapBody({ baseSlot: BASE_SLOT, records: sameFirst, rows: packed.rows.map(encodeRow) })
  expect(() => readMapBody(unsorted)).toThrow('malformed keys')
  for (const [place, count] of [
    [0, 3],
    [255, 1],
  ] as const) {
    const copy = packed.bytes.slice()
    new DataView(copy.buffer).setUint32(16 + 4 * place, count)
    expect(() => readMapBody(copy)).toThrow('malformed keys')
  }
  expect(() => readMapBody(swapped)).not.toThrow('malformed end')
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

test('behavior: rows of any text survive, also of the length of an address', () => {
  const wanted = (payTo: string): MapEntry => ({
    ...example,
    offers: [{ ...example.offers[0], payTo } as never],
  })
  for (const payTo of [
    'x'.repeat(18),
    '0x12',
    '',
    'a\u0000b',
    '0x1111111111111111111111111111111111111111',
  ]) {
    const body = readMapBody(packMap({ 'https://a.example/': wanted(payTo) }, { baseSlot: BASE_SLOT }).bytes)
    expect(entryAt(body, 0)).toEqual(wanted(payTo))
  }
})

test.each([
  ['classes', 0, '["exact","eip155:8453"]'],
  ['receivers', 1, '["no text"]'],
  ['prices', 2, '[0,"-1"]'],
  ['prices', 2, '{}'],
  ['rows', 2, '[0,'],
  ['rows', 2, '[99,"1000"]'],
])('error: malformed %s are refused when their entry is read', (part, row, text) => {
  const { rows } = packMap({ 'https://a.example/': example }, { baseSlot: BASE_SLOT })
  const { records } = readMapBody(packMap({ 'https://a.example/': example }, { baseSlot: BASE_SLOT }).bytes)
  const changed = rows.map((known, number) => encodeRow(number === rowNumber(rows, row) ? text : known))
  const body = readMapBody(writeMapBody({ baseSlot: BASE_SLOT, records, rows: changed }))
  expect(() => entryAt(body, 0)).toThrow(`malformed ${part}`)
})

/** Number of the class, receiver or price among rows. */
const rowNumber = (rows: readonly string[], kind: number) =>
  rows.findIndex((text) => [/^\["exact/, /^0x/, /^\[\d/][kind]?.test(text))

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
