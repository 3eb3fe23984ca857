import { type Address, getAddress, keccak256, slice, toHex } from 'viem'

/** How much a receiver's past holds: steady custom until now, custom that stopped 33 days ago, or nothing. */
export type PastKind = 'established' | 'dormant' | 'none'

/** A receiver whose past is to be written. */
export type PastReceiver = { address: Address; past: PastKind; amountAtomic: bigint }

/** One transfer of the past; amounts are atomic USDC. */
export type PastTransfer = { from: Address; to: Address; amountAtomic: bigint }

/** Days that the chain's past reaches back. */
export const HISTORY_DAYS = 45

// Fewer, and a day's window would hold no block.
const MIN_HISTORY_BLOCKS = 90

const DORMANT_SINCE_DAYS = 33
const RECEIPTS = { min: 75, spread: 30 }

/** Forty wallets that have paid for things before; nobody holds their keys. */
export const PAYERS: readonly Address[] = Array.from({ length: 40 }, (_, index) =>
  getAddress(slice(keccak256(toHex(`touchstone economy payer ${index}`)), 12)),
)

/** A small seeded generator (mulberry32), so that every start writes the same past. */
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
 * Plans the past as a list of transfers for each block; blocks are spread evenly over `HISTORY_DAYS`.
 * An established receiver gets at least 75 payments in the last 29 days from at least 18 payers, the last one within
 * two days; a dormant one as many, all of them older than 33 days. Payers also pay one another.
 * @param blocks at least 90.
 * @throws {RangeError} when there are too few blocks.
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
    if (item === undefined) throw new RangeError('nothing to pick from')
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
      // Each customer comes once before chance decides, and the last receipt falls on the last block.
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
