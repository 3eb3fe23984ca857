import { ESTABLISHED_PAYERS, ESTABLISHED_RECEIPTS, type ReceiverCategory } from '@touchstone402/shared'
import { addressAt, findAddress, isZeroAt } from '../columns/columns.ts'
import type { Address, ReceiverFacts, TransferColumns } from '../types.ts'

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** Finds the addresses that the receiver sent a positive amount to, and the newest block with such a transfer. */
function scanOutflows(outflows: TransferColumns, receiver: Address) {
  const funded = new Set<Address>()
  const self = findAddress(outflows, receiver)
  let count = 0
  let lastBlock = -1
  for (let row = 0; row < outflows.count; row++) {
    const from = outflows.from[row] ?? 0
    const to = outflows.to[row] ?? 0
    if (from !== self || to === self || isZeroAt(outflows, row)) continue
    count++
    lastBlock = outflows.block[row] ?? 0
    funded.add(addressAt(outflows, to))
  }
  return { funded, count, lastBlock }
}

type Payer = { readonly counts: boolean; receipts: number; lastBlock: number }

/** Groups receipts by payer. Mints have no payer; payers that the receiver funded do not count. */
function scanReceipts(columns: TransferColumns, receiver: Address, funded: ReadonlySet<Address>) {
  const self = findAddress(columns, receiver)
  const payers = new Map<number, Payer | null>()
  const countedBlocks: number[] = []
  let ever = 0
  let firstBlock = -1
  let lastBlock = -1
  for (let row = 0; row < columns.count; row++) {
    const from = columns.from[row] ?? 0
    if (columns.to[row] !== self || from === self || isZeroAt(columns, row)) continue
    let payer = payers.get(from)
    if (payer === undefined) {
      const address = addressAt(columns, from)
      payer = address === ZERO_ADDRESS ? null : { counts: !funded.has(address), receipts: 0, lastBlock: 0 }
      payers.set(from, payer)
    }
    if (payer === null) continue
    const block = columns.block[row] ?? 0
    ever++
    if (firstBlock < 0) firstBlock = block
    lastBlock = block
    payer.receipts++
    payer.lastBlock = block
    if (payer.counts) countedBlocks.push(block)
  }
  return {
    payers: [...payers.values()].filter((payer) => payer !== null),
    countedBlocks,
    ever,
    firstBlock,
    lastBlock,
  }
}

type Scannable = Pick<ReceiverFacts, 'receiver' | 'receipts' | 'outflows'>

/** Returns the blocks whose timestamps `profileReceiver` needs. */
export function blocksToDate({ receiver, receipts, outflows }: Scannable): number[] {
  const out = scanOutflows(outflows, receiver)
  const paid = scanReceipts(receipts, receiver, out.funded)
  return [paid.firstBlock, paid.lastBlock, out.lastBlock].filter((block) => block >= 0)
}

function categorise(receipts: number, receipts30d: number, payers: number): ReceiverCategory {
  if (receipts === 0) return 'blank'
  if (receipts30d === 0) return 'dormant'
  return payers >= ESTABLISHED_PAYERS && receipts >= ESTABLISHED_RECEIPTS ? 'established' : 'blank'
}

/**
 * Profiles a receiver from its transfers. Times are Unix times in seconds.
 *
 * Zero-value transfers (address poisoning), transfers to itself and mints do not count as receipts. Neither do
 * those of a payer that the receiver ever sent tokens to, in either order: a rule on the order could be evaded
 * with a tiny transfer sent first.
 */
export function profileReceiver(facts: ReceiverFacts) {
  const { receiver, block30d, block90d } = facts
  const out = scanOutflows(facts.outflows, receiver)
  const paid = scanReceipts(facts.receipts, receiver, out.funded)
  const counted = paid.payers.filter((payer) => payer.counts)
  const receiptsSince = (block: number) => paid.countedBlocks.filter((at) => at >= block).length
  const payersSince = (block: number) => counted.filter((payer) => payer.lastBlock >= block).length
  const timeOf = (block: number) => (block < 0 ? null : (facts.blockTimes.get(block) ?? null))
  const receipts = paid.countedBlocks.length
  const receipts30d = receiptsSince(block30d)
  return {
    receiver,
    category: categorise(receipts, receipts30d, counted.length),
    isContract: facts.isContract,
    /** Receipts from others, self-funded payers included. 0 means never paid within the history. */
    receiptsEver: paid.ever,
    receipts,
    receipts30d,
    receipts90d: receiptsSince(block90d),
    payers: counted.length,
    payers30d: payersSince(block30d),
    payers90d: payersSince(block90d),
    /** Payers excluded because the receiver had sent them tokens. */
    selfFundedExcluded: paid.payers.length - counted.length,
    firstReceiptAt: timeOf(paid.firstBlock),
    lastReceiptAt: timeOf(paid.lastBlock),
    outflows: out.count,
    lastOutflowAt: timeOf(out.lastBlock),
    /** First block that was read. */
    historyFrom: facts.historyFrom,
    /** Last block that was read. */
    block: facts.asOf,
  }
}
