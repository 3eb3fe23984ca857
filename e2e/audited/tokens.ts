import { USDC } from '@touchstone402/economy'
import {
  FlowSchema,
  MomentumSchema,
  OPERATIONS,
  PulseSchema,
  TokenPageSchema,
  usdToAtomic,
  WhalesSchema,
} from '@touchstone402/shared'
import { type Address, getAddress, parseUnits, zeroAddress } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { BRIDGE, createTokenLife, DEAD, liveAnHour, payer } from '../support/tokenLife.ts'
import { amountOf, type Log, sumOf } from '../support/tokenLogs.ts'
import { useTokenMarket } from '../support/tokenMarket.ts'

const of = (token: string, rest = '') => `?token=${token}${rest}`

const market = useTokenMarket(({ economy }) => liveAnHour(createTokenLife(economy)))
const { buyAnswer, charged, expectWindow, logsOf, timeOf } = market

/** Rows of one response. */
const MOST_ROWS = 100

type Sides = Pick<Log, 'from' | 'to'>
const isMint = ({ from }: Sides) => from === zeroAddress
const isBurn = ({ from, to }: Sides) => from !== zeroAddress && [zeroAddress, DEAD].includes(to)

// Every figure of these answers is compared with a naive computation by the tests of `packages/transfers/src/figures`.
describe('paid responses match the logs of the chain', () => {
  it('default: /pulse', async () => {
    const pulse = await buyAnswer(PulseSchema, `/pulse${of(USDC)}`)
    const logs = await logsOf(await expectWindow(pulse.window))
    expect(pulse).toMatchObject({
      transfers: logs.length,
      volume: amountOf(sumOf(logs)),
      mint: { count: logs.filter(isMint).length, ...amountOf(sumOf(logs.filter(isMint))) },
      burn: { count: 1, ...amountOf(sumOf(logs.filter(isBurn))) },
      zeroValueTransfers: 2,
      largest: { amount: '750000' },
    })
    expect(pulse.series).toHaveLength(24)
    for (const { fromBlock, fromTime } of pulse.series)
      if (fromBlock !== null) expect(Date.parse(fromTime ?? '')).toBe((await timeOf(fromBlock)) * 1000)
    expect(pulse.series.reduce((sum, { transfers }) => sum + transfers, 0)).toBe(logs.length)
    // There and back in one transaction, and to oneself.
    const roundTrips = 2n * 299_999_000_000n + 70_000_000_000n
    expect(BigInt(pulse.volume.raw) - BigInt(pulse.volumeWithoutRoundTrips.raw)).toBeGreaterThanOrEqual(
      roundTrips,
    )
    expect(await charged()).toBe(usdToAtomic(OPERATIONS.pulse.priceUsd))
  })

  it.each(['', '&min=0', '&min=70000', '&min=0.000001', '&min=44444.000001'])(
    'default: /whales%s',
    async (rest) => {
      const whales = await buyAnswer(WhalesSchema, `/whales${of(USDC, rest)}`)
      const logs = await logsOf(await expectWindow(whales.window))
      const min = /min=(.+)/.exec(rest)?.[1]
      const threshold = min === undefined ? BigInt(whales.threshold.raw) : parseUnits(min, 6)
      const matched = logs.filter(({ value }) => value >= threshold)
      const bySize = matched.toSorted((a, b) => Number(b.value - a.value))
      if (min === undefined) expect(bySize[9]?.value).toBe(threshold)
      expect(whales.threshold).toMatchObject(amountOf(threshold))
      expect(whales.threshold.rule).toBe(min === undefined ? 'tenth-largest' : 'given')
      expect(whales).toMatchObject({
        matched: matched.length,
        count: Math.min(matched.length, MOST_ROWS),
        truncated: matched.length > MOST_ROWS,
        matchedVolume: amountOf(sumOf(matched)),
      })
      // Equal amounts come in any order.
      expect(whales.rows.map(({ raw }) => BigInt(raw))).toEqual(
        bySize.slice(0, MOST_ROWS).map(({ value }) => value),
      )
      expect(new Set(whales.rows.map(({ txHash, logIndex }) => `${txHash} ${logIndex}`)).size).toBe(
        whales.count,
      )
      for (const { from, to, shareOfVolumePct, ...row } of whales.rows) {
        const log = matched.find(({ txHash, logIndex }) => txHash === row.txHash && logIndex === row.logIndex)
        if (log === undefined) throw new Error(`the chain has no transfer ${row.txHash}`)
        expect(row).toEqual({
          txHash: log.txHash,
          explorerUrl: `https://basescan.org/tx/${log.txHash}`,
          logIndex: log.logIndex,
          block: log.block,
          time: new Date((await timeOf(log.block)) * 1000).toISOString(),
          ...amountOf(log.value),
        })
        expect(shareOfVolumePct).toBeCloseTo((100 * Number(log.value)) / Number(sumOf(logs)), 3)
        expect([from.address, to.address]).toEqual([log.from, log.to])
      }
      // Of the shown rows. Other files pay to contracts too.
      const shown = whales.rows.map(({ raw, from, to }) => ({
        value: BigInt(raw),
        from: from.address as Address,
        to: to.address as Address,
        kind: to.kind,
      }))
      const into = shown.filter(({ kind }) => kind === 'contract' || kind === 'bridge')
      const known = [USDC, BRIDGE].filter((address) => matched.some(({ to }) => to === address))
      expect(into.map(({ to }) => to)).toEqual(expect.arrayContaining(known))
      expect(whales.totals).toMatchObject({
        mint: amountOf(sumOf(shown.filter(isMint))),
        burn: amountOf(sumOf(shown.filter(isBurn))),
        intoContracts: amountOf(sumOf(into)),
      })
      expect(await charged()).toBe(usdToAtomic(OPERATIONS.whales.priceUsd))
    },
  )

  it('behavior: /whales labels addresses and names the source of each label', async () => {
    const { rows } = await buyAnswer(WhalesSchema, `/whales${of(USDC, '&min=10000')}`)
    const sideOf = (address: Address) =>
      rows.flatMap(({ from, to }) => [from, to]).find((side) => side.address === getAddress(address))
    expect(sideOf(DEAD)).toMatchObject({ kind: 'burn' })
    expect(sideOf(BRIDGE)).toMatchObject({ kind: 'bridge', label: 'Base standard bridge' })
    expect(sideOf(BRIDGE)?.labelSource).toMatch(/^https:\/\/docs\.base\.org\//)
    expect(sideOf(USDC)?.kind).toBe('contract')
    expect(sideOf(payer(0))).toMatchObject({ kind: 'eoa', label: null, labelSource: null })
    expect(rows.find(({ from }) => from.kind === 'mint')?.amount).toBe('750000')
  })

  it('default: /flow', async () => {
    const flow = await buyAnswer(FlowSchema, `/flow${of(USDC)}`)
    const logs = await logsOf(await expectWindow(flow.window))
    const rows = [...flow.topAccumulators, ...flow.topDistributors]
    expect(rows.length).toBeGreaterThan(10)
    for (const row of rows) {
      const [into, out] = [
        logs.filter(({ to }) => to === row.address),
        logs.filter(({ from }) => from === row.address),
      ]
      const met = [...into.map(({ from }) => from), ...out.map(({ to }) => to)]
      expect(row).toMatchObject({
        in: amountOf(sumOf(into)),
        out: amountOf(sumOf(out)),
        net: amountOf(sumOf(into) - sumOf(out)),
        inCount: into.length,
        outCount: out.length,
        counterparties: new Set(met.filter((address) => address !== row.address)).size,
      })
    }
    const people = new Set(logs.flatMap(({ from, to }) => [from, to]))
    people.delete(zeroAddress)
    expect(flow.addresses).toBe(people.size)
    expect(flow.totals).toMatchObject({
      transfers: logs.length,
      volume: amountOf(sumOf(logs)),
      mint: amountOf(sumOf(logs.filter(isMint))),
      burn: amountOf(sumOf(logs.filter(isBurn))),
    })
    const { accumulated, distributed } = flow.totals
    const net = BigInt(accumulated.raw) - BigInt(distributed.raw)
    const burnedToZero = sumOf(logs.filter(({ to }) => to === zeroAddress))
    expect(net).toBe(sumOf(logs.filter(isMint)) - burnedToZero)
    expect(flow.sumToZero).toMatchObject({
      netOfAddresses: amountOf(net),
      minted: amountOf(sumOf(logs.filter(isMint))),
      burnedToZero: amountOf(burnedToZero),
      difference: amountOf(0n),
      ok: true,
    })
    expect(await charged()).toBe(usdToAtomic(OPERATIONS.flow.priceUsd))
  })

  it('default: /momentum', async () => {
    const momentum = await buyAnswer(MomentumSchema, `/momentum${of(USDC, '&window=24h')}`)
    const range = await expectWindow(momentum.window, '24h')
    const { previousWindow, metrics } = momentum
    const { fromBlock, toBlock, fromTime, toTime, complete } = previousWindow
    const end = await timeOf(range.to)
    expect([toBlock, complete]).toEqual([range.from - 1, true])
    expect([fromTime, toTime].map((time) => Date.parse(time ?? '') / 1000)).toEqual([
      await timeOf(fromBlock),
      await timeOf(toBlock),
    ])
    // Equal time: the day before the day.
    expect(await timeOf(fromBlock)).toBeGreaterThan(end - 2 * 86_400)
    expect(await timeOf(fromBlock - 1)).toBeLessThanOrEqual(end - 2 * 86_400)
    const current = await logsOf(range)
    const previous = await logsOf({ from: fromBlock, to: toBlock })
    const [now, then] = [sumOf(current), sumOf(previous)]
    expect(metrics.transfers).toMatchObject({
      current: current.length,
      previous: previous.length,
      delta: current.length - previous.length,
    })
    expect(metrics.volume).toMatchObject({
      current: amountOf(now),
      previous: amountOf(then),
      delta: amountOf(now - then),
      pct: Number(((now - then) * 10_000n) / then) / 100,
      noPrior: false,
    })
    expect(momentum.lowSample).toBe(Math.min(current.length, previous.length) < 30)
    expect(await charged()).toBe(usdToAtomic(OPERATIONS.momentum.priceUsd))
  })

  it('default: the free page of a token has the figures of the last finished UTC day', async () => {
    const read = async () =>
      TokenPageSchema.parse(await (await fetch(`${market.service.url}/tokens/${USDC}.json`)).json())
    const { day, isCovered } = await vi.waitFor(
      async () => {
        const page = await read()
        if (page.day === null) throw new Error('no day was read yet')
        return { ...page, day: page.day }
      },
      { timeout: 60_000, interval: 500 },
    )
    expect(isCovered).toBe(true)
    const midnight = Date.parse(day.date) / 1000
    const { fromBlock, toBlock } = day.pulse.window
    expect(await timeOf(fromBlock)).toBeGreaterThanOrEqual(midnight)
    expect(await timeOf(fromBlock - 1)).toBeLessThan(midnight)
    expect(await timeOf(toBlock)).toBeLessThan(midnight + 86_400)
    expect(await timeOf(toBlock + 1)).toBeGreaterThanOrEqual(midnight + 86_400)
    const logs = await logsOf({ from: fromBlock, to: toBlock })
    expect(day.pulse).toMatchObject({ transfers: logs.length, volume: amountOf(sumOf(logs)) })
    for (const [hour, { fromBlock: from, toBlock: to, transfers }] of day.pulse.series.entries()) {
      if (from === null || to === null) continue
      expect(transfers).toBe(logs.filter(({ block }) => block >= from && block <= to).length)
      expect(await timeOf(from)).toBeGreaterThanOrEqual(midnight + hour * 3600)
      expect(await timeOf(to)).toBeLessThan(midnight + (hour + 1) * 3600)
    }
    const page = await (await fetch(`${market.service.url}/tokens/${USDC}`)).text()
    expect(page).toContain(`${logs.length.toLocaleString('en-US')} transfers`)
    for (const { txHash } of day.whales.rows.slice(0, 15)) expect(page).toContain(`/tx/${txHash}`)
  })
})
