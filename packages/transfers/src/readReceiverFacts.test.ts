import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTransferSource } from './createTransferSource.ts'
import { profileReceiver } from './figures/profileReceiver.ts'
import { emit, placeEventToken, setAnswer } from './testing/eventToken.ts'
import { type Quirks, type QuirkyRpc, startQuirkyRpc, type Upstream } from './testing/quirkyRpc.ts'
import { BLOCK_REFUSALS } from './testing/refusals.ts'
import { placeOracle, setListed } from './testing/sanctionsOracle.ts'
import { useChain } from './testing/useChain.ts'
import type { Address, ReceiverQuery } from './types.ts'

const TOKEN: Address = '0x00000000000000000000000000000000000700c5'
const ORACLE: Address = '0x0000000000000000000000000000000000005a9c'
const RECEIVER: Address = '0x00000000000000000000000000000000000000aa'
const RELAY: Address = '0x00000000000000000000000000000000000000bb'
const HUB: Address = '0x00000000000000000000000000000000000000cc'
const someone = (n: number): Address => `0x${n.toString(16).padStart(40, '1')}`
/** Blocks are at least a second apart, so this is at most the last 100 blocks, the older of which are final. */
const SHORT = 100 / 86_400
const BALANCE = 'function balanceOf(address)'

const anvil = await useChain()
let closing: (() => Promise<unknown>)[] = []
/** Time that a test has waited, in ms. */
let waited = 0
const word = (value: bigint) => numberToHex(value, { size: 32 })

beforeAll(async () => {
  await placeEventToken(anvil, TOKEN)
  await emit(anvil, TOKEN, [
    { from: someone(1), to: RECEIVER, value: 100n },
    { from: someone(2), to: RECEIVER, value: 20n },
    { from: someone(3), to: RECEIVER, value: 3n },
    { from: RECEIVER, to: RELAY, value: 60n },
    { from: RELAY, to: someone(2), value: 50n },
    { from: RECEIVER, to: HUB, value: 50n },
  ])
  await emit(
    anvil,
    TOKEN,
    Array.from({ length: 1000 }, (_, n) => ({ from: HUB, to: someone(n % 2 === 0 ? 1 : 900), value: 1n })),
  )
  await setAnswer(anvil, TOKEN, BALANCE, word(13n))
  await anvil.rpc('anvil_mine', [numberToHex(300), numberToHex(1)])
})
afterEach(async () => {
  const all = closing.reverse()
  closing = []
  waited = 0
  for (const close of all) await close()
})

const isOld = ([filter]: readonly unknown[]) => Number((filter as { toBlock: string }).toBlock) < 200

async function open(quirks: Quirks = {}, cacheFolder?: string, oldLogsMs = 0) {
  const upstream: Upstream = async (method, params) => {
    if (method === 'eth_getLogs' && isOld(params)) await sleep(oldLogsMs)
    return anvil.rpc(method, params)
  }
  const rpc: QuirkyRpc = await startQuirkyRpc(upstream, quirks)
  closing.push(rpc.stop)
  const source = createTransferSource({
    chainId: 31337,
    urls: [rpc.url],
    now: () => Date.now() + waited,
    ...(cacheFolder !== undefined && { cacheFolder }),
  })
  closing.push(source.close)
  const look = async (more: Partial<ReceiverQuery> = {}) =>
    profileReceiver(await source.receiver({ token: TOKEN, receiver: RECEIVER, historyDays: SHORT, ...more }))
  return { rpc, source, look }
}

const refuse = BLOCK_REFUSALS['maximum block range: N']
const SMALL_RANGES = { maxBlocks: 10, ...(refuse && { refuse }) }

describe('history', () => {
  test('default: reads back to the first block with spare requests, and keeps it', async () => {
    const { look, rpc } = await open()
    expect(await look()).toMatchObject({ isWhole: false, firstReceiptAt: null, raw: { receipts: 0 } })
    const deep = await look({ spareRequests: 50 })
    expect(deep).toMatchObject({ isWhole: true, historyFrom: { number: 0 }, raw: { receipts: 3 } })
    expect(deep.firstReceiptAt).not.toBeNull()
    rpc.calls.clear()
    expect(await look()).toEqual(deep)
    expect(rpc.calls.get('eth_getLogs') ?? 0).toBeLessThanOrEqual(2)
  })

  test('behavior: spends no more than the spare requests, and continues after a restart', async () => {
    const cacheFolder = await mkdtemp(join(tmpdir(), 'history-'))
    closing.push(() => rm(cacheFolder, { recursive: true }))
    const froms: number[] = []
    for (let run = 0; run < 12 && froms.at(-1) !== 0; run++) {
      const { look, rpc, source } = await open(SMALL_RANGES, cacheFolder)
      await look()
      rpc.calls.clear()
      const { historyFrom } = await look()
      const usual = rpc.calls.get('eth_getLogs') ?? 0
      rpc.calls.clear()
      const deep = await look({ spareRequests: 16 })
      // Unfinalized blocks are read again after the history has grown.
      expect(rpc.calls.get('eth_getLogs')).toBeLessThanOrEqual(16 + 2 * usual)
      expect(deep.historyFrom.number).toBeLessThanOrEqual(historyFrom.number)
      expect(deep.isWhole).toBe(deep.historyFrom.number === 0)
      froms.push(deep.historyFrom.number)
      await source.close()
    }
    expect(froms.length).toBeGreaterThan(2)
    expect(froms.at(-1)).toBe(0)
    const filesIn = () => readdir(join(cacheFolder, '31337', `${TOKEN}-to-${RECEIVER}`))
    // Chunks that were read once stay apart until a second reading, a minute later, confirms them.
    expect((await filesIn()).length).toBeGreaterThan(1)
    waited = 60_000
    const { look, source } = await open(SMALL_RANGES, cacheFolder)
    expect((await look()).isWhole).toBe(true)
    await source.close()
    expect(await filesIn()).toHaveLength(1)
  })

  test('behavior: a look-up that ran out of time is continued by the next one', async () => {
    const { look } = await open(SMALL_RANGES, undefined, 50)
    const outcomes: string[] = []
    while (outcomes.length < 20 && outcomes.at(-1) !== 'done') {
      const looked = look({ historyDays: 3 * SHORT, deadlineAt: Date.now() + 500 + 100 * outcomes.length })
      outcomes.push(
        await looked.then(
          () => 'done',
          ({ code }) => code,
        ),
      )
    }
    expect(new Set(outcomes)).toEqual(new Set(['deadline', 'done']))
  })

  test('behavior: spare requests take at most half of the time', async () => {
    const { look } = await open(SMALL_RANGES, undefined, 250)
    const { historyFrom } = await look({ spareRequests: 1000, deadlineAt: Date.now() + 2000 })
    expect(historyFrom.number).toBeGreaterThan(0)
  })

  test('behavior: a history that does not add up to the balance is not whole', async () => {
    await setAnswer(anvil, TOKEN, BALANCE, word(14n))
    const { look } = await open()
    expect(await look({ spareRequests: 50 })).toMatchObject({
      isWhole: false,
      historyFrom: { number: 0 },
      firstReceiptAt: null,
      raw: { receipts: 3 },
    })
    await setAnswer(anvil, TOKEN, BALANCE, word(13n))
  })

  test('behavior: an empty history is whole only of an account that never sent a transaction', async () => {
    await setAnswer(anvil, TOKEN, BALANCE, word(0n))
    const { look } = await open({ empty: true })
    const isWhole = async (n: number) => (await look({ receiver: someone(n), spareRequests: 50 })).isWhole
    await anvil.rpc('anvil_setNonce', [someone(701), numberToHex(1)])
    await anvil.rpc('anvil_setCode', [someone(702), '0x00'])
    expect([await isWhole(700), await isWhole(701), await isWhole(702)]).toEqual([true, false, false])
    await setAnswer(anvil, TOKEN, BALANCE, word(13n))
  })

  test('behavior: leaves out payers in a cycle of three, but not those that a hub paid', async () => {
    const { look } = await open()
    const facts = { selfFundedExcluded: 0, payers: 2, receipts: 2, raw: { payers: 3 } }
    await look({ spareRequests: 50 })
    expect(await look({ spareRequests: 50 })).toMatchObject({ ...facts, cycleExcluded: 1 })
  })
})

describe('sanctions', () => {
  const ask = async (sanctionsOracle?: Address) => {
    const { look } = await open()
    return (await look({ sanctionsOracle })).isSanctioned
  }

  test('default: an oracle lists the receiver or does not', async () => {
    await placeOracle(anvil, ORACLE)
    expect(await ask(ORACLE)).toBe(false)
    await setListed(anvil, ORACLE, RECEIVER, 1)
    expect(await ask(ORACLE)).toBe(true)
  })

  test('error: an answer other than one word of 0 or 1 is unknown', async () => {
    await setListed(anvil, ORACLE, RECEIVER, 2)
    expect(await ask(ORACLE)).toBeNull()
    expect(await ask(undefined)).toBeNull()
    expect(await ask(someone(7))).toBeNull()
    // Reverts.
    expect(await ask(TOKEN)).toBeNull()
    await setAnswer(anvil, TOKEN, 'function isSanctioned(address)', `0x${'0'.repeat(127)}1`)
    expect(await ask(TOKEN)).toBeNull()
  })
})
