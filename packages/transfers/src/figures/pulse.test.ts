import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextOf, isBurn, names, raw, rows, sorted, sum, who, ZERO } from '../testing/anyRows.ts'
import { columnsOf } from '../testing/columnsOf.ts'
import type { TransferColumns } from '../types.ts'
import type { AnswerContext } from './answer.ts'
import { BUCKETS, measurePulse, splitBlocks } from './pulse.ts'

/** Measures a window whose blocks are two seconds apart. */
const pulseOf = (columns: TransferColumns, context: AnswerContext) =>
  measurePulse(columns, context, splitBlocks(context.window, BUCKETS), (block) => 2 * block)

test('default: measures the activity of a window', () => {
  const pulse = pulseOf(
    columnsOf([
      { block: 1000, from: who(1), to: who(2), value: 1_500_000n },
      { block: 1000, from: who(2), to: who(3), value: 500_000n },
      { block: 1599, from: ZERO, to: who(1), value: 3_000_000n },
    ]),
    contextOf(),
  )
  expect(pulse).toMatchObject({
    transfers: 3,
    uniqueSenders: 2,
    uniqueReceivers: 3,
    uniqueAddresses: 3,
    volume: { raw: '5000000', amount: '5' },
    mint: { count: 1, raw: '3000000', amount: '3' },
    burn: { count: 0, raw: '0', amount: '0' },
    median: { raw: '1500000' },
    p95: { raw: '3000000' },
    busiestBlock: { block: 1000, transfers: 2 },
    transfersPerBlock: 0.005,
    methodVersion: '1.2.0',
    caveats: [],
  })
  expect(pulse.series).toHaveLength(24)
  expect(pulse.series[0]).toMatchObject({
    fromTime: '1970-01-01T00:33:20.000Z',
    fromBlock: 1000,
    toBlock: 1024,
    transfers: 2,
  })
  expect(pulse.series[1]).toMatchObject({ fromTime: '1970-01-01T00:34:10.000Z', fromBlock: 1025 })
  expect(pulse.series[23]).toMatchObject({ toBlock: 1599, transfers: 1 })
  expect(pulse.summary).toBe('3 transfers of 5 “USDC” between 3 addresses in the last 1h.')
})

test('behavior: every figure equals a naive computation', () => {
  fc.assert(
    fc.property(rows, (list) => {
      const pulse = pulseOf(columnsOf(list), contextOf())
      const values = list.map((row) => row.value)
      const ranked = sorted(values)
      const rank = (share: number) => ranked[Math.max(0, Math.ceil(share * ranked.length) - 1)] ?? 0n
      const people = (addresses: string[]) => new Set(addresses.filter((address) => address !== ZERO)).size
      expect(raw(pulse.volume)).toBe(sum(values))
      expect(raw(pulse.median)).toBe(rank(0.5))
      expect(raw(pulse.p95)).toBe(rank(0.95))
      expect(raw(pulse.largest)).toBe(ranked.at(-1) ?? 0n)
      expect(pulse.uniqueSenders).toBe(people(list.map((row) => row.from)))
      expect(pulse.uniqueReceivers).toBe(people(list.map((row) => row.to)))
      expect(pulse.uniqueAddresses).toBe(people(list.flatMap((row) => [row.from, row.to])))
      expect(pulse.zeroValueTransfers).toBe(values.filter((each) => each === 0n).length)
      expect(raw(pulse.mint)).toBe(sum(list.filter((row) => row.from === ZERO).map((row) => row.value)))
      const burns = list.filter((row) => row.from !== ZERO && isBurn(row.to))
      expect(raw(pulse.burn)).toBe(sum(burns.map((row) => row.value)))
      expect(pulse.burn.count).toBe(burns.length)
      expect(sum(pulse.series.map((bucket) => raw(bucket.volume)))).toBe(sum(values))
      expect(pulse.series.reduce((total, bucket) => total + bucket.transfers, 0)).toBe(list.length)

      // More than what two addresses sent each other, and no more than what changed no net flow.
      const isSupply = (name: string) => name === ZERO || isBurn(name)
      const moved = (a: string, b: string) =>
        sum(list.filter((row) => row.from === a && row.to === b).map((row) => row.value))
      const everybody = [...new Set(list.flatMap((row) => [row.from, row.to]))]
      let back = 0n
      for (const a of everybody) back += moved(a, a)
      for (const a of everybody.filter((name) => !isSupply(name)))
        for (const b of everybody.filter((name) => !isSupply(name)))
          if (a < b) back += 2n * (sorted([moved(a, b), moved(b, a)])[0] ?? 0n)
      const gained = everybody.map((a) => sum(everybody.map((b) => moved(b, a) - moved(a, b))))
      const without = raw(pulse.volumeWithoutRoundTrips)
      expect(without).toBeLessThanOrEqual(sum(values) - back)
      expect(without).toBeGreaterThanOrEqual(sum(gained.filter((net) => net > 0n)))

      const gross = names(list).map((name) =>
        sum(list.flatMap((row) => [row.from, row.to].filter((each) => each === name).map(() => row.value))),
      )
      const top = sum(sorted(gross).slice(-10))
      const pct = sum(values) === 0n ? 0 : Number((top * 1_000_000n) / (2n * sum(values))) / 10_000
      expect(pulse.top10SharePct).toBe(pct)
    }),
  )
})

test('behavior: unknown decimals leave raw amounts and a caveat', () => {
  const list = [{ block: 1000, from: who(1), to: who(2), value: 5n }]
  const pulse = pulseOf(columnsOf(list), contextOf({ decimals: null, decimalsSource: 'unknown' }))
  expect(pulse.volume).toEqual({ raw: '5', amount: null })
  expect(pulse.caveats[0]).toContain('decimals are not known')
  expect(pulse.summary).toBe('1 transfer of 5 units between 2 addresses in the last 1h.')
})

test('behavior: an empty window has zero figures', () => {
  const pulse = pulseOf(columnsOf([]), contextOf({}, false))
  expect(pulse).toMatchObject({ transfers: 0, busiestBlock: null, top10SharePct: 0, median: { raw: '0' } })
  expect(pulse.summary).toBe('No transfers in the last 1h.')
  expect(pulse.caveats[0]).toContain('were read once')
})

test('behavior: a window with gaps says so, and one that was read once says something else', () => {
  const context = contextOf({}, false)
  const { caveats } = pulseOf(columnsOf([]), { ...context, window: { ...context.window, ranges: [] } })
  expect(caveats[0]).toContain('not read completely')
  expect(pulseOf(columnsOf([]), context).caveats[0]).toContain('until a second reading')
})
