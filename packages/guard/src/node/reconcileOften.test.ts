import { afterEach, expect, test, vi } from 'vitest'
import { createMemoryLedger } from '../ledger/journal.ts'
import { reconcileOften } from './reconcileOften.ts'

const PAUSE_MS = 600_000
const rpcUrls = { 'eip155:8453': 'http://rpc.example' }

afterEach(() => void vi.useRealTimers())

function setUp() {
  vi.useFakeTimers()
  let asked = 0
  const ledger = createMemoryLedger()
  const counting = {
    ...ledger,
    refresh: async () => {
      asked += 1
      // Once, as a disk that is full for a while.
      if (asked === 1) throw new Error('The disk is full.')
    },
  }
  return { ledger: counting, asked: () => asked }
}

test('default: asks every ten minutes, also after a failure, until it is stopped', async () => {
  const { ledger, asked } = setUp()
  const stop = reconcileOften(ledger, { rpcUrls })
  expect(asked()).toBe(0)
  await vi.advanceTimersByTimeAsync(3 * PAUSE_MS)
  expect(asked()).toBe(3)
  stop()
  await vi.advanceTimersByTimeAsync(3 * PAUSE_MS)
  expect(asked()).toBe(3)
})

test('behavior: does nothing without an RPC endpoint', async () => {
  const { ledger, asked } = setUp()
  reconcileOften(ledger, { rpcUrls: {} })
  await vi.advanceTimersByTimeAsync(3 * PAUSE_MS)
  expect(asked()).toBe(0)
})
