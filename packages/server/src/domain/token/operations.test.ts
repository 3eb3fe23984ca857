import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Address, TokenFacts } from '../../ports/chain.ts'
import { createLabels } from '../labels.ts'
import type { AnswerContext } from './answer.ts'
import { describeFlow } from './flow.ts'
import { measureFlow } from './flowFigures.ts'
import { changePct, compareWindows, measureWindow, zScore } from './momentum.ts'
import { measurePulse } from './pulse.ts'
import { columnsOf, type Row } from './testing.ts'
import { tokenWarnings } from './warnings.ts'
import { describeWhales, selectWhales, WHALE_ROWS } from './whales.ts'

const ZERO = `0x${'0'.repeat(40)}`
const DEAD = '0x000000000000000000000000000000000000dead'
const ROUTER = '0x2626664c2603336e57b271c5c0b26f421741e481'
const who = (n: number) => `0x${(n + 1).toString(16).padStart(40, 'a')}`
const TOKEN: TokenFacts = {
  address: `0x${'7'.repeat(40)}`,
  isContract: true,
  isErc20: true,
  name: 'USD Coin',
  symbol: 'USDC',
  decimals: 6,
  decimalsSource: 'call',
  totalSupply: 1n,
}
const FROM = 1000
const TO = 1599

const contextOf = (token: Partial<TokenFacts> = {}, complete = true): AnswerContext => ({
  token: { ...TOKEN, ...token },
  window: {
    name: '1h',
    fromBlock: FROM,
    toBlock: TO,
    fromTime: '2026-01-01T00:00:00.000Z',
    toTime: '2026-01-01T01:00:00.000Z',
    headLagBlocks: 0,
    finality: 'finalized',
    complete,
    truncated: false,
    ranges: [{ from: FROM, to: TO }],
  },
  labels: createLabels(8453),
  isContract: (address) => (address === who(1) ? true : address === who(2) ? false : undefined),
  checksum: (address) => address,
  warnings: [],
  ts: '2026-01-01T01:00:01.000Z',
})

const value = fc.oneof(
  { weight: 5, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 12n }) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 96n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 2n ** 48n - 1n, 2n ** 96n - 1n, 2n ** 256n - 1n) },
)
const party = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 7 }).map(who) },
  { weight: 1, arbitrary: fc.constantFrom(ZERO, DEAD, ROUTER) },
)
const rows: fc.Arbitrary<Row[]> = fc
  .array(
    fc.record({ gap: fc.integer({ min: 0, max: 9 }), sameTx: fc.boolean(), from: party, to: party, value }),
    { maxLength: 60 },
  )
  .map((list) => {
    let block = FROM
    let tx = 0
    return list.map(({ gap, sameTx, from, to, value: amount }) => {
      if (!sameTx) {
        tx++
        block += gap
      }
      return { block, tx, from, to, value: amount }
    })
  })

const sum = (values: readonly bigint[]) => values.reduce((total, each) => total + each, 0n)
const sorted = (values: readonly bigint[]) => [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
const raw = (amount: { raw: string }) => BigInt(amount.raw)
/** Everything below is worked out again from the rows, with nothing of the code under test. */
const isBurn = (address: string) => address === ZERO || address === DEAD

describe('measurePulse', () => {
  test('default', () => {
    const pulse = measurePulse(
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
      methodVersion: '1.0.0',
      caveats: [],
    })
    expect(pulse.series).toHaveLength(24)
    expect(pulse.series[0]).toMatchObject({ fromBlock: 1000, toBlock: 1024, transfers: 2 })
    expect(pulse.series[23]).toMatchObject({ toBlock: 1599, transfers: 1 })
    expect(pulse.summary).toBe('3 transfers of 5 USDC between 3 addresses in the last 1h.')
  })

  test('behavior: every figure equals its oracle', () => {
    fc.assert(
      fc.property(rows, (list) => {
        const pulse = measurePulse(columnsOf(list), contextOf())
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

        let back = 0n
        for (const tx of new Set(list.map((row) => row.tx))) {
          const own = list.filter((row) => row.tx === tx)
          const names = [...new Set(own.flatMap((row) => [row.from, row.to]))]
          const moved = (a: string, b: string) =>
            sum(own.filter((row) => row.from === a && row.to === b).map((row) => row.value))
          for (const a of names) back += moved(a, a)
          for (const a of names)
            for (const b of names) if (a < b) back += 2n * (sorted([moved(a, b), moved(b, a)])[0] ?? 0n)
        }
        expect(raw(pulse.volumeWithoutRoundTrips)).toBe(sum(values) - back)

        const gross = names(list).map((name) =>
          sum(list.flatMap((row) => [row.from, row.to].filter((each) => each === name).map(() => row.value))),
        )
        const top = sum(sorted(gross).slice(-10))
        const pct = sum(values) === 0n ? 0 : Number((top * 1_000_000n) / (2n * sum(values))) / 10_000
        expect(pulse.top10SharePct).toBe(pct)
      }),
    )
  })

  test('behavior: unknown decimals give raw amounts and a caveat', () => {
    const list = [{ block: 1000, from: who(1), to: who(2), value: 5n }]
    const pulse = measurePulse(columnsOf(list), contextOf({ decimals: null, decimalsSource: 'unknown' }))
    expect(pulse.volume).toEqual({ raw: '5', amount: null })
    expect(pulse.caveats[0]).toContain('decimals are not known')
  })

  test('behavior: nothing happened', () => {
    const pulse = measurePulse(columnsOf([]), contextOf({}, false))
    expect(pulse).toMatchObject({ transfers: 0, busiestBlock: null, top10SharePct: 0, median: { raw: '0' } })
    expect(pulse.summary).toBe('No transfers in the last 1h.')
    expect(pulse.caveats[0]).toContain('not read completely')
  })
})

const names = (list: readonly Row[]) =>
  [...new Set(list.flatMap((row) => [row.from, row.to]))].filter((name) => name !== ZERO)

describe('measureFlow', () => {
  test('default', () => {
    const list = [
      { block: 1000, from: who(1), to: who(2), value: 4_000_000n },
      { block: 1001, from: who(2), to: ROUTER, value: 1_000_000n },
      { block: 1002, from: ZERO, to: who(2), value: 2_000_000n },
    ]
    const flow = describeFlow(measureFlow(columnsOf(list)), contextOf())
    expect(flow.topAccumulators[0]).toMatchObject({
      address: who(2),
      kind: 'eoa',
      in: { raw: '6000000', amount: '6' },
      out: { raw: '1000000' },
      net: { raw: '5000000', amount: '5' },
      inCount: 2,
      outCount: 1,
      counterparties: 3,
    })
    expect(flow.topAccumulators[1]).toMatchObject({ kind: 'router', label: 'Uniswap v3 SwapRouter02' })
    expect(flow.topAccumulators[1]?.labelSource).toMatch(/^https:/)
    expect(flow.topDistributors).toHaveLength(1)
    expect(flow.topDistributors[0]).toMatchObject({
      kind: 'contract',
      net: { raw: '-4000000', amount: '-4' },
    })
    expect(flow.sumToZero).toMatchObject({ ok: true, difference: { raw: '0' }, minted: { raw: '2000000' } })
  })

  test('behavior: every figure equals its oracle, and all sums to zero', () => {
    fc.assert(
      fc.property(rows, (list) => {
        const flow = describeFlow(measureFlow(columnsOf(list)), contextOf())
        const into = (name: string) => sum(list.filter((row) => row.to === name).map((row) => row.value))
        const outOf = (name: string) => sum(list.filter((row) => row.from === name).map((row) => row.value))
        const nets = names(list).map((name) => ({ name, net: into(name) - outOf(name) }))
        const order = (sign: bigint) =>
          nets
            .filter(({ net }) => net * sign > 0n)
            .map(({ net }) => net * sign)
            .sort((a, b) => (a < b ? 1 : -1))
            .slice(0, 25)
        expect(flow.topAccumulators.map((row) => raw(row.net))).toEqual(order(1n))
        expect(flow.topDistributors.map((row) => -raw(row.net))).toEqual(order(-1n))
        for (const row of [...flow.topAccumulators, ...flow.topDistributors]) {
          expect([raw(row.in), raw(row.out)]).toEqual([into(row.address), outOf(row.address)])
          const others = list.flatMap(({ from, to }) =>
            from === row.address ? [to] : to === row.address ? [from] : [],
          )
          expect(row.counterparties).toBe(new Set(others.filter((other) => other !== row.address)).size)
        }
        expect(flow.addresses).toBe(names(list).length)
        expect(raw(flow.totals.volume)).toBe(sum(list.map((row) => row.value)))
        expect(raw(flow.totals.mint)).toBe(outOf(ZERO))
        expect(raw(flow.totals.burn)).toBe(
          sum(list.filter((row) => row.from !== ZERO && isBurn(row.to)).map((row) => row.value)),
        )
        expect(raw(flow.sumToZero.netOfAddresses)).toBe(sum(nets.map(({ net }) => net)))
        expect(flow.sumToZero.ok).toBe(true)
      }),
    )
  })

  test('behavior: sums beyond 2^96 and many additions stay exact', () => {
    const list = Array.from({ length: 5000 }, (_, i) => ({
      block: 1000,
      from: who(1),
      to: who(2 + (i % 3)),
      value: 2n ** 96n - 1n,
    }))
    const flow = describeFlow(measureFlow(columnsOf(list)), contextOf())
    expect(raw(flow.totals.distributed)).toBe(5000n * (2n ** 96n - 1n))
    expect(flow.sumToZero.ok).toBe(true)
  })
})

describe('selectWhales', () => {
  const list: Row[] = Array.from({ length: 300 }, (_, i) => ({
    block: 1000 + i,
    from: who(i),
    to: who(i + 1),
    value: BigInt(((i * 7919) % 300) + 1) * 1_000_000n,
  }))
  const answer = (given: readonly Row[], min?: string) => {
    const columns = columnsOf(given)
    return describeWhales(columns, selectWhales(columns, 6, min), contextOf(), (block) => block * 2)
  }

  test('default', () => {
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

  test('behavior: min is exact to the last unit', () => {
    expect(answer(list, '299.000001').rows.map((row) => row.amount)).toEqual(['300'])
    expect(answer(list, '299').matched).toBe(2)
    expect(answer(list, '301').summary).toBe('No transfer of 301 USDC or more in the last 1h.')
    expect(() => answer(list, '0.0000001')).toThrow('6 digits')
  })

  test('behavior: rows are bounded and say so', () => {
    const whales = answer(list, '0')
    expect(whales).toMatchObject({ matched: 300, count: WHALE_ROWS, limit: WHALE_ROWS, truncated: true })
  })

  test('behavior: p99 from a thousand transfers on', () => {
    const many = Array.from({ length: 2000 }, (_, i) => ({
      block: 1000,
      from: who(1),
      to: who(2),
      value: BigInt(i + 1),
    }))
    expect(answer(many).threshold).toMatchObject({ rule: 'p99', raw: '1980' })
  })

  test('behavior: order, threshold and totals equal their oracle', () => {
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
})

describe('compareWindows', () => {
  const windowOf = (count: number, each: bigint) =>
    measureWindow(
      columnsOf(
        Array.from({ length: count }, (_, i) => ({
          block: 1000 + i,
          from: who(i),
          to: who(i + 1),
          value: each,
        })),
      ),
    )
  const before = { fromBlock: 400, toBlock: 999, complete: true }

  test('default', () => {
    const trailing = [40, 44, 48, 52].map((count) => windowOf(count, 10n))
    const momentum = compareWindows(windowOf(60, 12n), windowOf(50, 10n), trailing, contextOf(), before)
    expect(momentum.metrics.transfers).toEqual({
      current: 60,
      previous: 50,
      delta: 10,
      pct: 20,
      zScore: 2.71,
    })
    expect(momentum.metrics.volume).toMatchObject({
      current: { raw: '720' },
      previous: { raw: '500' },
      delta: { raw: '220' },
      pct: 44,
    })
    expect(momentum.direction).toMatchObject({ word: 'rising', ruleId: 'volume-and-transfers-10' })
    expect(momentum).toMatchObject({ lowSample: false, trailingWindows: 4 })
  })

  test('behavior: directions', () => {
    const word = (current: [number, bigint], previous: [number, bigint], complete = true) =>
      compareWindows(windowOf(...current), windowOf(...previous), [], contextOf({}, complete), before)
        .direction.word
    expect(word([40, 10n], [50, 10n])).toBe('falling')
    expect(word([40, 50n], [50, 10n])).toBe('mixed')
    expect(word([52, 10n], [50, 10n])).toBe('flat')
    expect(word([29, 10n], [50, 10n])).toBe('unclear')
    expect(word([60, 12n], [50, 10n], false)).toBe('unclear')
  })

  test('behavior: percentages of nothing, z-scores of few', () => {
    expect(changePct(5n, 0n)).toBeNull()
    expect(changePct(-5n, 3n)).toBe(-266.66)
    expect(zScore(5, [1, 2, 3])).toBeNull()
    expect(zScore(5, [2, 2, 2, 2])).toBeNull()
    const momentum = compareWindows(windowOf(3, 1n), windowOf(0, 1n), [], contextOf(), before)
    expect(momentum.metrics.volume.pct).toBeNull()
    expect(momentum.lowSample).toBe(true)
    expect(momentum.caveats.some((caveat) => caveat.includes('chance'))).toBe(true)
  })
})

describe('tokenWarnings', () => {
  const usdc = [{ symbol: 'USDC', address: TOKEN.address as Address }]
  test('default', () => {
    expect(tokenWarnings(TOKEN, usdc, true)).toEqual([])
    expect(tokenWarnings({ ...TOKEN, address: `0x${'8'.repeat(40)}`, symbol: ' usdc' }, usdc, null)).toEqual([
      'symbol_of_another_token',
    ])
    expect(tokenWarnings({ ...TOKEN, decimals: null, symbol: null }, usdc, false)).toEqual([
      'decimals_unknown',
      'symbol_unknown',
      'balances_do_not_fit_transfers',
    ])
  })
})
