import { FlowSchema, MomentumSchema, PulseSchema, WhalesSchema } from '@touchstone402/shared'
import { getAddress, numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTransferSource } from '../createTransferSource.ts'
import { emit, placeEventToken } from '../testing/eventToken.ts'
import { type QuirkyRpc, startQuirkyRpc } from '../testing/quirkyRpc.ts'
import { useChain } from '../testing/useChain.ts'
import type { Address, BlockRange, TransferSource } from '../types.ts'
import { createDayAnswers, type ReadDay } from './dayAnswers.ts'

const TOKEN: Address = `0x${'7'.repeat(40)}`
const PLAIN: Address = `0x${'8'.repeat(40)}`
const someone = (n: number): Address => `0x${(n + 16).toString(16).padStart(40, '3')}`
const HOUR = 3600
const DAY = 24 * HOUR

const anvil = await useChain()
/** Time that was waited, in ms: finalized blocks are complete once they were read again a minute later. */
let waited = 0
let rpc: QuirkyRpc
let source: TransferSource
let readDay: ReadDay
/** Midnight at which the day begins, Unix time in seconds. */
let midnight = 0

const dateOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
const timeOf = async (block: number) =>
  Number(
    ((await anvil.rpc('eth_getBlockByNumber', [numberToHex(block), false])) as { timestamp: string })
      .timestamp,
  )
/** Emits a transfer in a block of a given time. */
async function emitAt(time: number, value: bigint) {
  await anvil.rpc('evm_setNextBlockTimestamp', [time])
  await emit(anvil, TOKEN, [{ from: someone(1), to: someone(2), value }])
}

beforeAll(async () => {
  await placeEventToken(anvil, TOKEN)
  await anvil.rpc('anvil_setCode', [PLAIN, '0x00'])
  midnight = (Math.floor((await timeOf(0)) / DAY) + 2) * DAY
  // The day before, with a block of its last second; the day, with one of midnight, in hours 0, 5 and 23; the day after.
  for (const [hours, value] of [
    [-20, 1n],
    [-5, 2n],
  ] as const)
    await emitAt(midnight + hours * HOUR, value)
  await emitAt(midnight - 1, 4n)
  await emitAt(midnight, 1000n)
  await emitAt(midnight + 5 * HOUR - 1, 2000n)
  await emitAt(midnight + 5 * HOUR, 3000n)
  await emitAt(midnight + DAY - 1, 4000n)
  await emitAt(midnight + DAY, 5n)
  await anvil.rpc('anvil_mine', [numberToHex(80), numberToHex(1)])
  rpc = await startQuirkyRpc((method, params) => anvil.rpc(method, params))
  const now = () => Date.now() + waited
  source = createTransferSource({ chainId: 31337, urls: [rpc.url], now })
  readDay = createDayAnswers({ source, now, checksum: (address) => getAddress(address) })
})
afterAll(async () => {
  await source.close()
  await rpc.stop()
})

test('default: reads exactly the blocks of the UTC day, by hour, compared with the day before', async () => {
  const date = dateOf(midnight)
  const first = await readDay({ token: TOKEN, date })
  expect(first.pulse.window.complete).toBe(false)
  expect(first.pulse.caveats.join(' ')).toContain('were read once')
  waited += 60_000
  const { pulse, whales, flow, momentum } = await readDay({ token: TOKEN, date })
  for (const [schema, answer] of [
    [PulseSchema, pulse],
    [WhalesSchema, whales],
    [FlowSchema, flow],
    [MomentumSchema, momentum],
  ] as const)
    expect(schema.parse(answer)).toEqual(answer)
  expect(pulse.window).toMatchObject({ name: '24h', complete: true, finality: 'finalized' })
  expect(await timeOf(pulse.window.fromBlock)).toBe(midnight)
  expect(await timeOf(pulse.window.toBlock)).toBe(midnight + DAY - 1)
  expect([pulse.transfers, pulse.volume.raw]).toEqual([4, '10000'])
  expect(pulse.summary).toContain(`on ${date} (UTC)`)
  const hours = pulse.series.flatMap(({ transfers, fromTime }, hour) =>
    transfers > 0 ? [[hour, fromTime]] : [],
  )
  const iso = (time: number) => new Date(time * 1000).toISOString()
  expect(hours).toEqual([
    [0, iso(midnight)],
    [4, iso(midnight + 5 * HOUR - 1)],
    [5, iso(midnight + 5 * HOUR)],
    [23, iso(midnight + DAY - 1)],
  ])
  expect(pulse.series[1]).toMatchObject({ fromTime: null, fromBlock: null, transfers: 0 })
  expect(whales.rows.map(({ raw }) => raw)).toEqual(['4000', '3000', '2000', '1000'])
  expect(whales.rows[0]).toMatchObject({ explorerUrl: null, time: iso(midnight + DAY - 1) })
  expect(flow.topAccumulators[0]).toMatchObject({ net: { raw: '10000' }, explorerUrl: null })
  expect(momentum.previousWindow).toMatchObject({
    fromTime: iso(midnight - 20 * HOUR),
    toTime: iso(midnight - 1),
    complete: true,
  })
  expect(momentum.metrics.volume).toMatchObject({ current: { raw: '10000' }, previous: { raw: '7' } })
})

test('behavior: what its requests do not reach is left out, and said', async () => {
  rpc.quirks.maxBlocks = 1
  const read = async (left: number) => {
    const own = createTransferSource({ chainId: 31337, urls: [rpc.url], now: Date.now })
    const readOwn = createDayAnswers({
      source: own,
      now: Date.now,
      checksum: (address) => getAddress(address),
    })
    const allowance = { left }
    const answers = await readOwn({ token: TOKEN, date: dateOf(midnight), allowance }).catch((error) => error)
    await own.close()
    return { answers, used: left - allowance.left }
  }
  const { used } = await read(1000)
  let partial = 0
  for (let left = 1; left < used; left++) {
    const { answers } = await read(left)
    if (answers instanceof Error) {
      expect(answers).toMatchObject({ code: 'deadline' })
      continue
    }
    const { window, transfers, caveats } = answers.pulse
    const blocks = window.ranges.reduce((sum: number, { from, to }: BlockRange) => sum + to - from + 1, 0)
    if (blocks === window.toBlock - window.fromBlock + 1) continue
    partial++
    expect([window.complete, transfers <= blocks]).toEqual([false, true])
    expect(caveats.join(' ')).toContain('not read completely')
  }
  expect(partial).toBeGreaterThan(0)
  delete rpc.quirks.maxBlocks
})

test('error: a day that has not ended, one without a block, and what is no token are refused', async () => {
  const ended = (token: Address, date: string) => readDay({ token, date })
  await expect(ended(TOKEN, dateOf(midnight + DAY))).rejects.toMatchObject({ code: 'not_there_yet' })
  await expect(ended(TOKEN, dateOf(midnight - 30 * DAY))).rejects.toMatchObject({ code: 'not_there_yet' })
  await expect(ended(PLAIN, dateOf(midnight))).rejects.toMatchObject({ code: 'not_erc20' })
  await expect(ended(someone(9), dateOf(midnight))).rejects.toMatchObject({ code: 'not_a_contract' })
})
