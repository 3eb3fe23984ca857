import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contextOf, isBurn, names, ROUTER, raw, rows, sum, who, ZERO } from '../testing/anyRows.ts'
import { columnsOf } from '../testing/columnsOf.ts'
import { describeFlow } from './flow.ts'
import { measureFlow } from './flowFigures.ts'

test('default: lists accumulators and distributors', () => {
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

test('behavior: every figure equals a naive computation, and the nets sum to zero', () => {
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
      expect(describeFlow(measureFlow(columnsOf(list), 1), contextOf()).sumToZero.ok).toBe(true)
    }),
  )
})

test('behavior: a wrong, missing or doubled row breaks the sum', () => {
  const columns = columnsOf([
    { block: 1000, from: ZERO, to: who(1), value: 9n },
    { block: 1001, from: who(1), to: who(2), value: 4n },
    { block: 1002, from: who(2), to: who(3), value: 3n },
  ])
  // One row per list, so that some addresses are only in the sums.
  const figures = measureFlow(columns, 1)
  const check = (wrong: Partial<typeof figures>) => describeFlow({ ...figures, ...wrong }, contextOf())
  expect(check({}).sumToZero).toMatchObject({
    ok: true,
    listed: { raw: '5' },
    others: { raw: '4' },
    netOfAddresses: { raw: '9' },
  })
  const [first] = figures.accumulators
  if (first === undefined) throw new Error('no address gained')
  const broken: Partial<typeof figures>[] = [
    { accumulators: [{ ...first, in: first.in + 1n }] },
    { accumulators: [] },
    { accumulators: [first, first] },
    { others: figures.others - 1n },
    { minted: figures.minted + 1n },
    { accumulated: figures.accumulated + 1n },
  ]
  for (const wrong of broken) {
    const flow = check(wrong)
    expect(flow.sumToZero.ok).toBe(false)
    expect(flow.caveats).toContain('The net flows do not sum to zero: the figures are wrong.')
  }
})

test('behavior: sums above 2^96 and many additions stay exact', () => {
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
