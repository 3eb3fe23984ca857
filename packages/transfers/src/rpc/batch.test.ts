import { expect, test } from 'vitest'
import { fillChain, TOKEN } from '../testing/fillChain.ts'

const chain = await fillChain()
const CALLS = ['eth_chainId', 'eth_blockNumber', 'eth_gasPrice'] as const

test('default: calls that are made at once are one HTTP request', async () => {
  const rpc = await chain.quirky()
  const [asked] = chain.sourceOf([rpc.url]).rpcs
  const answers = await Promise.all(CALLS.map((method) => asked?.call(method, [])))
  expect(answers[0]).toBe('0x7a69')
  expect(answers.map(String).every((answer) => answer.startsWith('0x'))).toBe(true)
  expect(asked?.requests()).toBe(1)
})

test('behavior: an RPC that refuses batches is asked one by one for an hour', async () => {
  const rpc = await chain.quirky({ noBatches: true })
  const [asked] = chain.sourceOf([rpc.url]).rpcs
  const askAll = () => Promise.all(CALLS.map((method) => asked?.call(method, [])))
  expect((await askAll())[0]).toBe('0x7a69')
  expect(asked?.requests()).toBe(4)
  await askAll()
  expect(asked?.requests()).toBe(7)
  for (let minute = 0; minute < 60; minute++) chain.waitAMinute()
  rpc.quirks.noBatches = false
  await askAll()
  expect(asked?.requests()).toBe(8)
  expect(asked?.failures()).toBe(0)
})

test('behavior: calls with other limits are not in one batch, so that none ends another', async () => {
  const rpc = await chain.quirky()
  const [asked] = chain.sourceOf([rpc.url]).rpcs
  const aborted = AbortSignal.abort()
  const [ended, answered] = await Promise.allSettled([
    asked?.call('eth_chainId', [], { signal: aborted }),
    asked?.call('eth_chainId', []),
  ])
  expect([ended?.status, answered?.status]).toEqual(['rejected', 'fulfilled'])
})

test('error: one refused call fails alone', async () => {
  const rpc = await chain.quirky({ refuseCall: () => ({ code: -32000, message: 'odd' }) })
  const [asked] = chain.sourceOf([rpc.url]).rpcs
  const [refused, answered] = await Promise.allSettled([
    asked?.call('eth_call', [{ to: TOKEN, data: '0x' }, 'latest']),
    asked?.call('eth_chainId', []),
  ])
  expect([refused?.status, answered?.status, asked?.requests()]).toEqual(['rejected', 'fulfilled', 1])
})

test('behavior: calls of a batch count singly against an allowance', async () => {
  const rpc = await chain.quirky()
  const [asked] = chain.sourceOf([rpc.url]).rpcs
  const allowance = { left: 2 }
  const asks = CALLS.map((method) => asked?.call(method, [], { allowance }))
  expect((await Promise.allSettled(asks)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
  expect(rpc.calls.size).toBe(0)
})
