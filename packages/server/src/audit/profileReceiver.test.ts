import { setImmediate as nextTurn } from 'node:timers/promises'
import { BASE } from '@touchstone402/shared'
import type { Chain, ReceiverProfile } from '@touchstone402/transfers'
import { ChainError } from '@touchstone402/transfers/errors'
import { expect, test } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { readReceiverRecords } from '../store/facts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { NOON } from '../store/testing/records.ts'
import { clockAt } from '../testing/clockAt.ts'
import { countIds } from '../testing/countIds.ts'
import { createReceiverProfiler } from './profileReceiver.ts'
import { QUIET } from './testing/quiet.ts'

const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const block = (number: number) =>
  ({ number, hash: `0x${'ab'.repeat(32)}`, time: NOON / 1000 + number }) as const
const NEVER = {
  receipts: 0,
  receipts30d: 0,
  receipts90d: 0,
  payers: 0,
  payers30d: 0,
  payers90d: 0,
}

type Asked = Parameters<Chain['profile']>[0]

type Options = {
  /** Whether RPCs tell receivers, and the head of the chain. @default true */
  answers?: boolean
  hasHead?: boolean
  sanctionsOracle?: string
  ignoredPayers?: readonly `0x${string}`[]
  stopping?: AbortSignal
}

/** Creates a profiler with an empty or failing chain. */
function start({ answers = true, hasHead = true, stopping = QUIET.stopping, ...options }: Options = {}) {
  const { sanctionsOracle, ignoredPayers } = options
  const store = createMemoryStore()
  const time = { now: NOON }
  const asked: Asked[] = []
  const errors: unknown[] = []
  const source = {
    async heads() {
      if (!hasHead) throw new ChainError('unreachable', 'no RPC answers')
      return { latest: block(9), safe: block(8), finalized: block(7) }
    },
    async profile(query: Asked): Promise<ReceiverProfile> {
      asked.push(query)
      if (!answers) throw new ChainError('unreachable', 'no RPC keeps these blocks')
      return {
        receiver: query.receiver,
        category: 'blank',
        isContract: true,
        isSanctioned: query.sanctionsOracle === undefined ? null : true,
        ...NEVER,
        raw: NEVER,
        payerSources: 0,
        selfFundedExcluded: 0,
        cycleExcluded: 0,
        firstReceiptAt: null,
        lastReceiptAt: null,
        outflows: 0,
        lastOutflowAt: null,
        historyFrom: block(1),
        isWhole: false,
        block: block(9),
      }
    },
  }
  const profiler = createReceiverProfiler({
    ...QUIET,
    stopping,
    chain: source,
    config: { sanctionsOracle: sanctionsOracle ?? '' },
    ownAccounts: ignoredPayers ? { addresses: async () => new Set(ignoredPayers) } : null,
    store,
    clock: clockAt(() => time.now),
    ids: countIds(),
    log: (_, message) => errors.push(message),
  })
  return { profiler, time, asked, errors, records: () => readReceiverRecords(store, BASE, RECEIVER) }
}

test("behavior: our own shopper's payments are left out", async () => {
  const own = [
    '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
    '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  ] as const
  const { profiler, asked } = start({ ignoredPayers: own })
  await profiler.refresh(BASE, RECEIVER)
  expect(asked).toMatchObject([{ ignoredPayers: new Set(own) }])
})

test('default: records chain facts with their block', async () => {
  const { profiler, asked, records } = start()
  await profiler.refresh(BASE, RECEIVER)
  expect(asked).toMatchObject([{ receiver: RECEIVER.toLowerCase() }])
  expect(await records()).toMatchObject([
    {
      at: NOON,
      address: RECEIVER,
      category: 'blank',
      isContract: true,
      receiptsEver: 0,
      lastReceiptAt: null,
      lastOutflowAt: null,
      historyFrom: NOON + 1000,
      historyFromBlock: 1,
      isWholeLife: false,
      unadjusted: { receipts30d: 0, receipts90d: 0, payers30d: 0, payers90d: 0 },
      blockNumber: 9,
    },
  ])
  expect((await records())[0]).not.toHaveProperty('sanctions')
})

test('behavior: records the answer of the sanctions oracle with its contract', async () => {
  const contract = '0x3A91A31cB3dC49b4db9Ce721F50a9D076c8D739B'
  const { profiler, asked, records } = start({ sanctionsOracle: contract })
  await profiler.refresh(BASE, RECEIVER)
  expect(asked).toMatchObject([{ sanctionsOracle: contract.toLowerCase() }])
  expect(await records()).toMatchObject([{ sanctions: { contract, isListed: true } }])
})

test('behavior: reads further back from the second scheduled look-up on', async () => {
  const { profiler, time, asked } = start()
  await profiler.refresh(BASE, RECEIVER)
  time.now += 6 * HOUR
  await profiler.refresh(BASE, RECEIVER)
  await profiler.refresh(BASE, RECEIVER, { force: true })
  const [first, second, live] = asked.map(({ spareRequests }) => spareRequests ?? 0)
  expect(second).toBeGreaterThan(first ?? 0)
  expect(live).toBe(first)
})

test('behavior: reuses a record for six hours unless a refresh is forced', async () => {
  const { profiler, time, asked } = start()
  const refresh = (force = false) => profiler.refresh(BASE, RECEIVER, { force })
  await refresh()
  time.now += 6 * HOUR - 1
  await refresh()
  expect(asked).toHaveLength(1)
  await refresh(true)
  expect(asked).toHaveLength(2)
  time.now += 6 * HOUR
  await refresh()
  expect(asked).toHaveLength(3)
})

test('behavior: leaves the receiver unknown if the chain cannot be read', async () => {
  const { profiler, errors, records } = start({ answers: false })
  await profiler.refresh(BASE, RECEIVER)
  expect(errors).toEqual(['chain failed: no RPC keeps these blocks'])
  expect(await records()).toEqual([])
})

test('behavior: a read that a stop cuts is no fault', async () => {
  const { profiler, errors } = start({ answers: false, stopping: AbortSignal.abort() })
  await profiler.refresh(BASE, RECEIVER)
  expect(errors).toEqual([])
})

test('behavior: while no RPC answers, the chain is asked every 30 seconds only, or by force', async () => {
  const { profiler, time, asked } = start({ answers: false, hasHead: false })
  const refresh = async (force = false) => {
    await profiler.refresh(BASE, RECEIVER, { force })
    await nextTurn()
    return asked.length
  }
  expect(await refresh()).toBe(1)
  expect(await refresh()).toBe(1)
  expect(await refresh(true)).toBe(2)
  time.now += 30_000
  expect(await refresh()).toBe(3)
})

test('behavior: a receiver that no RPC can tell does not keep others from being read', async () => {
  const { profiler, asked } = start({ answers: false })
  await profiler.refresh(BASE, RECEIVER)
  await nextTurn()
  await profiler.refresh(BASE, RECEIVER)
  expect(asked).toHaveLength(2)
})

test('behavior: ignores other chains and malformed addresses', async () => {
  const { profiler, asked } = start()
  await profiler.refresh('eip155:137', RECEIVER)
  await profiler.refresh(BASE, '7EYnhQoR9YM3N7UoaKRoA44Uy8JeaZV3qyouov87awMs')
  expect(asked).toEqual([])
})
