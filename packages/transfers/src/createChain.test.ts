import { numberToHex } from 'viem'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createChain } from './createChain.ts'
import { emit } from './testing/eventToken.ts'
import { fillChain, rowsOf, someone, TOKEN } from './testing/fillChain.ts'
import type { Address } from './types.ts'

const DAY_SECONDS = 86_400
const NO_TOKEN: Address = `0x${'9'.repeat(40)}`

const filled = await fillChain()
let toBlock = 0
/** A UTC day that is final on the chain. */
let date = ''

beforeAll(async () => {
  toBlock = await filled.headOf()
  const head = await readHead()
  const midnight = (Math.floor(head.time / DAY_SECONDS) + 1) * DAY_SECONDS
  date = new Date(midnight * 1000).toISOString().slice(0, 10)
  await filled.anvil.rpc('evm_setNextBlockTimestamp', [midnight + 60])
  await emit(filled.anvil, TOKEN, [{ from: someone(1), to: someone(2), value: 7n }])
  await filled.anvil.rpc('evm_setNextBlockTimestamp', [midnight + DAY_SECONDS])
  await filled.anvil.rpc('anvil_mine', [numberToHex(80), numberToHex(1)])
})

async function readHead() {
  const { chain } = await open()
  const { latest } = await chain.heads({})
  await chain.close()
  return latest
}

async function open(warmTokens: readonly Address[] = [], chainId = 31337) {
  const rpc = await filled.quirky()
  const failed: [string, unknown][] = []
  const folder = await filled.tempFolder()
  const options = { chainId, urls: [rpc.url], folder, warmTokens }
  const chain = createChain(options, (token, error) => failed.push([token, error]))
  return { chain, rpc, failed }
}

/** Opens a chain that closes after the test. */
async function start(...options: Parameters<typeof open>) {
  const opened = await open(...options)
  onTestFinished(() => opened.chain.close())
  return opened
}

describe('payments', () => {
  test('default: lists transfers of a pair within bounds of their value, in order, up to a number', async () => {
    const { chain } = await start()
    const source = filled.sourceOf([(await filled.quirky()).url])
    const { columns } = await source.transfers({ token: TOKEN, fromBlock: 1, toBlock })
    const all = rowsOf(columns).map(({ tx: txHash, ...row }) => ({ ...row, txHash }))
    const range = { token: TOKEN, fromBlock: 1, toBlock }
    expect(await chain.payments({ ...range, limit: 1e6 })).toEqual(all)
    expect(await chain.payments({ ...range, limit: 3 })).toEqual(all.slice(0, 3))
    const to = someone(1)
    const [one] = all.filter((row) => row.to === to)
    const { value = 0n } = one ?? {}
    const received = all.filter((row) => row.to === to)
    const above = await chain.payments({ ...range, to, minValue: value + 1n, limit: 1e6 })
    expect(above).toEqual(received.filter((row) => row.value > value))
    const exact = await chain.payments({ ...range, to, minValue: value, maxValue: value, limit: 1 })
    expect(exact).toEqual([one])
    expect([received.length > above.length, above.length > 0]).toEqual([true, true])
  })
})

describe('day', () => {
  test('default: tells how many requests are left', async () => {
    const { chain } = await start()
    const { answers, failure, requestsLeft } = await chain.day({ token: TOKEN, date, requests: 500 })
    expect(failure).toBeNull()
    expect(answers?.pulse).toMatchObject({ transfers: 1, volume: { raw: '7' } })
    const { byPurpose } = await chain.counts({})
    // The heads count as heads, and the chain's number as the purpose that was first to need it.
    expect(requestsLeft).toBeLessThan(500 - byPurpose.token_days / 2)
    expect(requestsLeft).toBeGreaterThan(400)
  })

  test('error: tells why there is no answer, and how many requests are left', async () => {
    const { chain, rpc } = await start()
    const none = await chain.day({ token: NO_TOKEN, date, requests: 500 })
    expect(none).toMatchObject({ answers: null, failure: { code: 'not_a_contract' } })
    expect(none.requestsLeft).toBeLessThan(500)
    expect(await chain.day({ token: TOKEN, date, requests: 2 })).toEqual({
      answers: null,
      failure: { code: 'deadline', message: 'No requests left of the allowance' },
      requestsLeft: 0,
    })
    await rpc.stop()
    expect(await chain.day({ token: TOKEN, date, requests: 5 })).toMatchObject({ answers: null })
  })
})

test('default: requests are counted by RPC and purpose', async () => {
  const { chain, rpc } = await start()
  expect(chain.hosts).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)])
  const request = { method: 'eth_blockNumber', params: [] }
  const head = await chain.request({ ...request, purpose: 'settlements' })
  expect(await chain.requestOf({ ...request, rpc: 0, purpose: 'health' })).toBe(head)
  await expect(chain.requestOf({ ...request, rpc: 1 })).rejects.toThrow('There is no RPC 1')
  rpc.quirks.busy = 1
  const failing = chain.requestOf({ ...request, rpc: 0, purpose: 'health' })
  await expect(failing).rejects.toMatchObject({ name: 'ChainError', code: 'unreachable' })
  const { rpcs, byPurpose } = await chain.counts({})
  expect(byPurpose).toMatchObject({ settlements: 2, health: 2, tokens: 0 })
  expect(rpcs).toEqual([{ requests: 4, failures: 1 }])
  await chain.flow({ token: TOKEN })
  expect((await chain.counts({})).byPurpose.tokens).toBeGreaterThan(0)
  await chain.profile({ token: TOKEN, receiver: someone(1), historyDays: 1 })
  expect((await chain.counts({})).byPurpose.receivers).toBeGreaterThan(0)
})

test('behavior: keeps tokens warm, and tells which one fails', async () => {
  const { chain, failed } = await start([TOKEN])
  await expect.poll(async () => (await chain.counts({})).byPurpose.tokens).toBeGreaterThan(0)
  expect(failed).toEqual([])
  const wrong = await start([TOKEN], 1)
  await expect.poll(() => wrong.failed).toEqual([[TOKEN, expect.objectContaining({ code: 'disagreement' })]])
})
