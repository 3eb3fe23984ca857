import type { Chain, Clock, ReceiverProfiler, ReceiverRecord, Store } from '@touchstone402/server/testing'
import { readReceiverRecords } from '@touchstone402/server/testing'
import { aPayment, pickPayments } from '@touchstone402/transfers/testing'
import { BASE } from './names.ts'
import type { ChainHistory, Funding } from './types.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const BLOCK_MS = 2000

/** Address of the sanctions oracle on Base. */
const ORACLE = '0x3A91A31cB3dC49b4db9Ce721F50a9D076c8D739B'

/** Records the scripted history of receivers as often as the real profiler would. */
export function createSimulatedProfiler(
  store: Store,
  clock: Clock,
  historyOf: (address: string) => ChainHistory,
  isSanctioned: (address: string, at: number) => boolean = () => false,
): ReceiverProfiler {
  let records = 0
  return {
    async refresh(network, address) {
      if (network !== BASE) return
      const last = (await readReceiverRecords(store, network, address)).at(-1)
      if (last !== undefined && clock.now() - last.at < 6 * HOUR) return
      records++
      const now = clock.now()
      const sanctions = { contract: ORACLE, isListed: isSanctioned(address, now) }
      await store.write('append', [
        { ...toRecord(`rcv_${records}`, now, address, historyOf(address)), sanctions },
      ])
    },
  }
}

function toRecord(id: string, at: number, address: string, history: ChainHistory): ReceiverRecord {
  const receipts = { established: 300, dormant: 80, few: 3, none: 0 }[history]
  const recent = history === 'dormant' ? 0 : receipts
  const lastReceiptAt = receipts === 0 ? null : at - (history === 'dormant' ? 45 * DAY : HOUR)
  return {
    kind: 'receiver',
    id,
    at,
    network: BASE,
    address,
    category: history === 'established' || history === 'dormant' ? history : 'blank',
    isContract: false,
    receiptsEver: receipts,
    receipts30d: recent,
    receipts90d: receipts,
    payers30d: Math.ceil(recent / 5),
    payers90d: Math.ceil(receipts / 5),
    selfFundedExcluded: 0,
    firstReceiptAt: receipts === 0 ? null : at - 80 * DAY,
    lastReceiptAt,
    lastOutflowAt: null,
    historyFrom: at - 90 * DAY,
    isWholeLife: true,
    blockNumber: Math.floor(at / BLOCK_MS),
    blockHash: `0x${'ab'.repeat(32)}`,
  }
}

/** Creates a chain with only the scripted payments between receivers. */
export function createSimulatedSource(
  funding: readonly Funding[],
  start: number,
): Pick<Chain, 'blockAtOrBefore' | 'blockTimes' | 'payments' | 'request'> {
  const payments = funding.map((paid) =>
    aPayment({
      block: Math.floor((start + paid.atDay * DAY) / BLOCK_MS),
      from: paid.from,
      to: paid.to,
      value: BigInt(paid.amountAtomic ?? '1000000'),
    }),
  )
  return {
    async blockAtOrBefore({ time }) {
      const number = Math.floor((time * 1000) / BLOCK_MS)
      return { number, hash: `0x${'ab'.repeat(32)}`, time: (number * BLOCK_MS) / 1000 }
    },
    blockTimes: async ({ blocks }) => new Map(blocks.map((block) => [block, (block * BLOCK_MS) / 1000])),
    // No receiver of the simulation is a contract that could sign.
    request: async () => '0x',
    payments: async (query) => pickPayments(payments, query),
  }
}
