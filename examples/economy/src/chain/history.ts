import { type Address, getAddress, keccak256, slice, toHex } from 'viem'

/** History of a receiver: payments until now, payments that stopped 33 days ago, or none. */
export type PastKind = 'established' | 'dormant' | 'none'

/** A receiver and the kind of history to create for it. */
export type PastReceiver = { address: Address; past: PastKind; amountAtomic: bigint }

/** One past transfer, in atomic USDC. */
export type PastTransfer = { from: Address; to: Address; amountAtomic: bigint }

/** Length of the chain's history, in days. */
export const HISTORY_DAYS = 45

// With fewer blocks some days would have none.
const MIN_HISTORY_BLOCKS = 90

const DORMANT_SINCE_DAYS = 33
const RECEIPTS = { min: 75, spread: 30 }

/** Forty payers without known keys. */
export const PAYERS: readonly Address[] = Array.from({ length: 40 }, (_, index) =>
  getAddress(slice(keccak256(toHex(`touchstone economy payer ${index}`)), 12)),
)

/** Seeded generator (mulberry32), so that every start creates the same history. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * Plans the history as a list of transfers per block, with blocks spread evenly over `HISTORY_DAYS`.
 * An established receiver gets at least 75 payments in the last 29 days from at least 18 payers, the last one within
 * two days. A dormant one gets as many, all older than 33 days. Payers also pay one another.
 * @param blocks at least 90.
 * @throws {RangeError} if there are too few blocks.
 */
export function planHistory(receivers: readonly PastReceiver[], blocks: number): PastTransfer[][] {
  if (!(blocks >= MIN_HISTORY_BLOCKS))
    throw new RangeError(`historyBlocks must be at least ${MIN_HISTORY_BLOCKS}`)
  const random = createRandom(402)
  const perDay = blocks / HISTORY_DAYS
  const plan: PastTransfer[][] = Array.from({ length: blocks }, () => [])
  const put = (block: number, transfer: PastTransfer) =>
    plan[Math.max(0, Math.min(blocks - 1, block))]?.push(transfer)
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)]
    if (item === undefined) throw new RangeError('cannot pick from an empty list')
    return item
  }

  receivers.forEach(({ address, past, amountAtomic }, number) => {
    if (past === 'none') return
    const customers = Array.from(
      { length: 18 + (number % 5) },
      (_, index) => PAYERS[(number * 7 + index) % PAYERS.length],
    )
    const receipts = RECEIPTS.min + Math.floor(random() * RECEIPTS.spread)
    const first = past === 'established' ? blocks - Math.floor(29 * perDay) : 0
    const last = past === 'established' ? blocks : Math.floor((HISTORY_DAYS - DORMANT_SINCE_DAYS) * perDay)
    for (let receipt = 0; receipt < receipts; receipt++) {
      // Each payer pays once before payers are drawn at random. The last payment is in the last block.
      const from = customers[receipt] ?? pick(customers)
      const block = receipt === 0 ? last - 1 : first + Math.floor(random() * (last - first))
      if (from) put(block, { from, to: address, amountAtomic })
    }
  })
  for (let block = 0; block < blocks; block++) {
    const from = pick(PAYERS)
    const to = pick(PAYERS.filter((payer) => payer !== from))
    const big = random() < 0.05 ? 1_000n : 1n
    put(block, { from, to, amountAtomic: BigInt(1 + Math.floor(random() * 40)) * big * 1_000_000n })
  }
  return plan
}
