import { expect, test } from 'vitest'
import { createHedge, type HedgedRpc } from './createHedgedChain.ts'

const CHAIN_ID = 8453
const PATIENCE_MS = 30
const hangs = () => new Promise<never>(() => {})

/** Creates an RPC whose answers to everything but its chain a test sets. */
function rpc(host: string, answer: () => Promise<unknown>, chainId = CHAIN_ID) {
  const asked: string[] = []
  const own: HedgedRpc & { asked: string[]; answer: () => Promise<unknown> } = {
    host,
    asked,
    answer,
    async call(method) {
      if (method === 'eth_chainId') return own.answer === hangs ? hangs() : `0x${chainId.toString(16)}`
      asked.push(method)
      return own.answer()
    },
  }
  return own
}
const says = (value: unknown) => async () => value
const hedge = (...rpcs: HedgedRpc[]) => createHedge({ rpcs, chainId: CHAIN_ID, patienceMs: PATIENCE_MS })

test('default: asks the preferred RPC alone while it answers', async () => {
  const [first, second] = [rpc('a', says('0x1')), rpc('b', says('0x2'))]
  const ask = hedge(first, second)
  expect([await ask('eth_blockNumber', []), await ask('eth_blockNumber', [])]).toEqual(['0x1', '0x1'])
  expect(second.asked).toEqual([])
})

test('behavior: asks the next RPC beside one that hangs, and asks that one first from then on', async () => {
  const [first, second] = [rpc('a', hangs), rpc('b', says('0x2'))]
  const ask = hedge(first, second)
  const startedMs = performance.now()
  expect(await ask('eth_blockNumber', [])).toBe('0x2')
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(PATIENCE_MS - 2)
  first.answer = says('0x1')
  expect([await ask('eth_blockNumber', []), first.asked]).toEqual(['0x2', []])
})

test('behavior: a failing RPC is passed over at once', async () => {
  const first = rpc('a', () => Promise.reject(new Error('503')))
  const ask = createHedge({ rpcs: [first, rpc('b', says('0x2'))], chainId: CHAIN_ID, patienceMs: 60_000 })
  expect(await ask('eth_blockNumber', [])).toBe('0x2')
})

test('behavior: the slower answer of the first counts if the second has none', async () => {
  let release = (_: unknown) => {}
  const slow = new Promise((resolve) => {
    release = resolve
  })
  const second = rpc('b', hangs)
  const asked = hedge(
    rpc('a', () => slow),
    second,
  )('eth_blockNumber', [])
  setTimeout(() => release('0x1'), 3 * PATIENCE_MS)
  expect(await asked).toBe('0x1')
})

test.each([
  ['eth_getTransactionReceipt', null],
  ['eth_getLogs', []],
] as const)(
  'behavior: "not found" of one RPC decides nothing while another knows more: %s',
  async (method, nothing) => {
    const ask = hedge(rpc('behind', says(nothing)), rpc('b', says({ status: '0x1' })))
    expect(await ask(method, [])).toEqual({ status: '0x1' })
    expect(await hedge(rpc('a', says(nothing)), rpc('b', says(nothing)))(method, [])).toEqual(nothing)
    // An RPC that hangs does not hold it up.
    expect(await hedge(rpc('a', hangs), rpc('b', says(nothing)))(method, [])).toEqual(nothing)
  },
)

test('error: fails once every RPC has, with the reason of each', async () => {
  const fails = (reason: string) => () => Promise.reject(new Error(reason))
  await expect(hedge(rpc('a', fails('401')), rpc('b', fails('503')))('eth_call', [])).rejects.toThrow(
    'a: 401; b: 503',
  )
})

test('error: an RPC on another chain is never believed', async () => {
  const other = rpc('other', says('0x1'), 1)
  expect(await hedge(other, rpc('b', says('0x2')))('eth_blockNumber', [])).toBe('0x2')
  await expect(hedge(other)('eth_blockNumber', [])).rejects.toThrow('RPC other is on chain 1, not 8453')
  expect(other.asked).toEqual([])
})
