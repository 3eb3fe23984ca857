import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextOf, ROUTER, raw, rows, sum, who, ZERO } from '../testing/anyRows.ts'
import { columnsOf, type Row } from '../testing/columnsOf.ts'
import { describeWhales, selectWhales, WHALE_ROWS } from './whales.ts'

const list: Row[] = Array.from({ length: 300 }, (_, i) => ({
  block: 1000 + i,
  from: who(i),
  to: who(i + 1),
  value: BigInt(((i * 7919) % 300) + 1) * 1_000_000n,
}))
function answer(given: readonly Row[], min?: string) {
  const columns = columnsOf(given)
  return describeWhales(columns, selectWhales(columns, 6, min), contextOf(), (block) => block * 2)
}

test('default: lists the ten largest transfers of a small window', () => {
  const whales = answer(list)
  expect(whales.threshold).toMatchObject({ rule: 'tenth-largest', raw: '291000000', amount: '291' })
  expect(whales.rows.map((row) => row.amount)).toEqual([
    '300',
    '299',
    '298',
    '297',
    '296',
    '295',
    '294',
    '293',
    '292',
    '291',
  ])
  expect(whales).toMatchObject({ matched: 10, count: 10, truncated: false })
  const [row] = whales.rows
  expect(row?.time).toBe(new Date((row?.block ?? 0) * 2000).toISOString())
  expect(row?.txHash).toMatch(/^0x[0-9a-f]{64}$/)
})

test('behavior: applies `min` exactly to the smallest unit', () => {
  expect(answer(list, '299.000001').rows.map((row) => row.amount)).toEqual(['300'])
  expect(answer(list, '299').matched).toBe(2)
  expect(answer(list, '301').summary).toBe('No transfer of 301 “USDC” or more in the last 1h.')
  expect(() => answer(list, '0.0000001')).toThrow('6 digits')
})

test('behavior: limits the rows and marks the answer as truncated', () => {
  const whales = answer(list, '0')
  expect(whales).toMatchObject({ matched: 300, count: WHALE_ROWS, limit: WHALE_ROWS, truncated: true })
})

test('behavior: uses the 99th percentile for a thousand transfers or more', () => {
  const many = Array.from({ length: 2000 }, (_, i) => ({
    block: 1000,
    from: who(1),
    to: who(2),
    value: BigInt(i + 1),
  }))
  expect(answer(many).threshold).toMatchObject({ rule: 'p99', raw: '1980' })
})

test('behavior: order, threshold and totals equal a naive computation', () => {
  fc.assert(
    fc.property(rows, fc.bigInt({ min: 0n, max: 10n ** 9n }), (given, min) => {
      const columns = columnsOf(given)
      const whales = describeWhales(
        columns,
        selectWhales(columns, 0, min.toString()),
        contextOf({ decimals: 0 }),
        () => 0,
      )
      const found = given
        .map((row, logIndex) => ({ ...row, logIndex }))
        .filter((row) => row.value >= min)
        .sort((a, b) => (a.value === b.value ? a.logIndex - b.logIndex : a.value < b.value ? 1 : -1))
      expect(whales.rows.map((row) => [row.logIndex, raw(row)])).toEqual(
        found.map((row) => [row.logIndex, row.value]),
      )
      expect(raw(whales.matchedVolume)).toBe(sum(found.map((row) => row.value)))
      expect(raw(whales.totals.mint)).toBe(
        sum(found.filter((row) => row.from === ZERO).map((row) => row.value)),
      )
      const code = (address: string) => address === who(1) || address === ROUTER
      expect(raw(whales.totals.intoContracts)).toBe(
        sum(found.filter((row) => code(row.to)).map((row) => row.value)),
      )
      expect(raw(whales.totals.outOfContracts)).toBe(
        sum(found.filter((row) => code(row.from)).map((row) => row.value)),
      )
      for (const row of whales.rows) {
        if (row.from.address === ZERO) expect(row.from.kind).toBe('mint')
        if (row.to.address === ZERO) expect(row.to.kind).toBe('burn')
      }
    }),
  )
})
