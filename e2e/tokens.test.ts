import { readFile } from 'node:fs/promises'
import { USDC } from '@touchstone402/economy'
import {
  FlowSchema,
  MomentumSchema,
  OPERATIONS,
  PulseSchema,
  usdToAtomic,
  WhalesSchema,
} from '@touchstone402/shared'
import { type Address, getAddress, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { settleTimes } from './support/settleTimes.ts'
import { BRIDGE, createTokenLife, DEAD, liveAnHour, payer } from './support/tokenLife.ts'
import { useTokenMarket } from './support/tokenMarket.ts'
import { amountOf, changeOf, figuresOf, flowOf, pulseOf, whalesOf } from './support/tokenOracle.ts'

const examples: Record<string, unknown> = {}
let pastEndsAt = 0
const of = (token: string, rest = '') => `?token=${token}${rest}`

const { buyAnswer, charged, expectHour, logsOf, timeOf } = useTokenMarket(async ({ economy }) => {
  const past = await logsOf({ from: 0, to: Number(await economy.chain.publicClient.getBlockNumber()) })
  pastEndsAt = await timeOf(past.at(-1)?.block ?? 0)
  // First, so that every run has the same data.
  const day = of(USDC, '&window=24h')
  examples.pulse = await buyAnswer(PulseSchema, `/pulse${day}`)
  examples.whales = await buyAnswer(WhalesSchema, `/whales${day}`)
  examples.flow = await buyAnswer(FlowSchema, `/flow${day}`)
  examples.momentum = await buyAnswer(MomentumSchema, `/momentum${day}`)
  await liveAnHour(createTokenLife(economy))
})

describe('paid responses match the logs', () => {
  it('default: /pulse', async () => {
    const pulse = await buyAnswer(PulseSchema, `/pulse${of(USDC)}`)
    const range = await expectHour(pulse.window)
    const { series, ...expected } = pulseOf(await logsOf(range), range)
    expect(pulse).toMatchObject(expected)
    expect(pulse.series.map(({ transfers, volume }) => ({ transfers, volume }))).toEqual(series)
    expect(pulse.mint.count).toBe(2)
    expect(pulse.zeroValueTransfers).toBe(2)
    expect(BigInt(pulse.volume.raw)).toBeGreaterThan(BigInt(pulse.volumeWithoutRoundTrips.raw))
    expect(await charged()).toBe(usdToAtomic(OPERATIONS.pulse.priceUsd))
  })

  it.each(['', '&min=0', '&min=70000', '&min=0.000001', '&min=44444.000001'])(
    'default: /whales%s',
    async (rest) => {
      const whales = await buyAnswer(WhalesSchema, `/whales${of(USDC, rest)}`)
      const logs = await logsOf(await expectHour(whales.window))
      const min = /min=(.+)/.exec(rest)?.[1]
      const expected = whalesOf(logs, min === undefined ? undefined : parseUnits(min, 6))
      expect(whales.threshold).toMatchObject(amountOf(expected.threshold))
      expect(whales.threshold.rule).toBe(min === undefined ? 'tenth-largest' : 'given')
      expect(whales).toMatchObject({
        matched: expected.rows.length,
        matchedVolume: amountOf(expected.matchedVolume),
      })
      // All transfers fit into one response.
      expect(whales).toMatchObject({ count: expected.rows.length, truncated: false })
      for (const [index, log] of expected.rows.entries()) {
        const { from, to, ...row } = whales.rows[index] ?? { from: null, to: null }
        expect(row).toEqual({
          txHash: log.txHash,
          logIndex: log.logIndex,
          block: log.block,
          time: new Date((await timeOf(log.block)) * 1000).toISOString(),
          ...amountOf(log.value),
          shareOfVolumePct: expected.sharePct(log.value),
        })
        expect([from?.address, to?.address]).toEqual([log.from, log.to])
      }
      expect(whales.totals).toMatchObject({ mint: amountOf(expected.mint), burn: amountOf(expected.burn) })
      const into = expected.rows.filter(({ to }) => [USDC, BRIDGE].includes(to))
      expect(whales.totals.intoContracts).toEqual(amountOf(into.reduce((sum, { value }) => sum + value, 0n)))
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
    const logs = await logsOf(await expectHour(flow.window))
    const expected = flowOf(logs)
    const signed = (raw: bigint) => ({ ...amountOf(raw) })
    expect(flow.addresses).toBe(expected.people.length)
    const lists = [
      [flow.topAccumulators, expected.gains],
      [flow.topDistributors, expected.losses],
    ] as const
    for (const [shown, all] of lists) {
      expect(shown.map(({ net }) => net)).toEqual(all.slice(0, flow.limit).map(({ net }) => signed(net)))
      for (const row of shown) {
        const one = all.find(({ address }) => address === row.address)
        expect(row).toMatchObject({
          in: amountOf(one?.in ?? -1n),
          out: amountOf(one?.out ?? -1n),
          net: signed(one?.net ?? 0n),
          inCount: one?.inCount,
          outCount: one?.outCount,
          counterparties: one?.counterparties,
        })
      }
    }
    expect(flow.totals).toEqual({
      transfers: logs.length,
      volume: amountOf(figuresOf(logs).volume),
      accumulated: amountOf(expected.accumulated),
      distributed: amountOf(expected.distributed),
      mint: amountOf(expected.minted),
      burn: amountOf(expected.burned),
    })
    const listedNet = [...expected.gains.slice(0, flow.limit), ...expected.losses.slice(0, flow.limit)]
    const listed = listedNet.reduce((sum, { net }) => sum + net, 0n)
    const netOfAddresses = expected.accumulated - expected.distributed
    expect(flow.sumToZero).toEqual({
      netOfAddresses: signed(netOfAddresses),
      listed: signed(listed),
      others: signed(netOfAddresses - listed),
      minted: amountOf(expected.minted),
      burnedToZero: amountOf(expected.burnedToZero),
      difference: signed(0n),
      ok: true,
    })
    expect(await charged()).toBe(usdToAtomic(OPERATIONS.flow.priceUsd))
  })

  it('default: /momentum', async () => {
    const momentum = await buyAnswer(MomentumSchema, `/momentum${of(USDC)}`)
    const range = await expectHour(momentum.window)
    const { previousWindow, metrics } = momentum
    const { fromBlock, toBlock, fromTime, toTime, complete } = previousWindow
    const end = await timeOf(range.to)
    expect([toBlock, complete]).toEqual([range.from - 1, true])
    expect([fromTime, toTime].map((time) => Date.parse(time ?? '') / 1000)).toEqual([
      await timeOf(fromBlock),
      await timeOf(toBlock),
    ])
    // Equal time: the hour before the hour.
    expect(await timeOf(fromBlock)).toBeGreaterThan(end - 7200)
    expect(await timeOf(fromBlock - 1)).toBeLessThanOrEqual(end - 7200)
    const current = figuresOf(await logsOf(range))
    const previous = figuresOf(await logsOf({ from: fromBlock, to: toBlock }))
    for (const name of Object.keys(current) as (keyof typeof current)[]) {
      const [now, then] = [current[name], previous[name]]
      const { delta, pct } = changeOf(BigInt(now), BigInt(then))
      const shown = (value: number | bigint) => (typeof value === 'bigint' ? amountOf(value) : value)
      expect([name, metrics[name]]).toMatchObject([
        name,
        {
          current: shown(now),
          previous: shown(then),
          delta: typeof now === 'bigint' ? amountOf(delta) : Number(delta),
          pct,
          noPrior: BigInt(then) === 0n,
        },
      ])
    }
    expect(momentum.lowSample).toBe(Math.min(current.transfers, previous.transfers) < 30)
    expect(await charged()).toBe(usdToAtomic(OPERATIONS.momentum.priceUsd))
  })

  it('behavior: the examples of the OpenAPI document are such responses', async () => {
    const text = `${JSON.stringify(settleTimes(examples, pastEndsAt * 1000), null, 2)}\n`
    await expect(text).toMatchFileSnapshot('../packages/server/src/http/tokenExamples.json')
    const document = JSON.parse(await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8'))
    for (const [id, example] of Object.entries(JSON.parse(text)))
      expect(document.paths[`/${id}`].get.responses['200'].content['application/json'].example).toEqual(
        example,
      )
  })
})
