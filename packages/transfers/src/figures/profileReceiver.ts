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

/** Why a payer does not count: the receiver funded it, or funded an address that funded it, or it is the zero address. */
type Exclusion = 'funded' | 'cycle' | 'mint'

type Scannable = Pick<ReceiverFacts, 'receiver' | 'ignoredPayers' | 'receipts' | 'outflows'>

type Payer = { readonly address: Address; readonly excluded: Exclusion | null; readonly blocks: number[] }

/** Groups receipts by payer, in the order of blocks. The payer of mints is the zero address; some payers may be ignored. */
function scanReceipts(
  { receipts: columns, receiver, ignoredPayers }: Scannable,
  exclusionOf: (payer: Address) => Exclusion | null,
): Payer[] {
  const self = findAddress(columns, receiver)
  const payers = new Map<number, Payer | null>()
  for (let row = 0; row < columns.count; row++) {
    const from = columns.from[row] ?? 0
    if (columns.to[row] !== self || from === self || isZeroAt(columns, row)) continue
    let payer = payers.get(from)
    if (payer === undefined) {
      const address = addressAt(columns, from)
      const excluded = address === ZERO_ADDRESS ? 'mint' : exclusionOf(address)
      payer = ignoredPayers?.has(address) === true ? null : { address, excluded, blocks: [] }
      payers.set(from, payer)
    }
    payer?.blocks.push(columns.block[row] ?? 0)
  }
  return [...payers.values()].filter((payer) => payer !== null)
}

/** Returns the first and the last block with a receipt; -1 without receipts. */
function blockBounds(payers: readonly Payer[]): { first: number; last: number } {
  if (payers.length === 0) return { first: -1, last: -1 }
  const ends = payers.map(({ blocks }) => [blocks[0] ?? 0, blocks.at(-1) ?? 0] as const)
  return { first: Math.min(...ends.map(([first]) => first)), last: Math.max(...ends.map(([, last]) => last)) }
}

/** Counts receipts and distinct payers: all, and of the last 30 and 90 days. */
function count(payers: readonly Payer[], { block30d, block90d }: ReceiverFacts) {
  const receiptsSince = (since: number) =>
    payers.reduce((sum, { blocks }) => sum + blocks.filter((block) => block >= since).length, 0)
  const payersSince = (since: number) => payers.filter(({ blocks }) => (blocks.at(-1) ?? -1) >= since).length
  return {
    receipts: receiptsSince(0),
    receipts30d: receiptsSince(block30d),
    receipts90d: receiptsSince(block90d),
    payers: payers.length,
    payers30d: payersSince(block30d),
    payers90d: payersSince(block90d),
  }
}

/** Returns the blocks whose timestamps `profileReceiver` needs. */
export function blocksToDate(facts: Scannable): number[] {
  const out = scanOutflows(facts.outflows, facts.receiver)
  const { first, last } = blockBounds(scanReceipts(facts, () => null))
  return [first, last, out.lastBlock].filter((block) => block >= 0)
}

function categorise(receipts: number, receipts30d: number, payers: number): ReceiverCategory {
  if (receipts === 0) return 'blank'
  if (receipts30d === 0) return 'dormant'
  return payers >= ESTABLISHED_PAYERS && receipts >= ESTABLISHED_RECEIPTS ? 'established' : 'blank'
}

/**
 * Counts payers that one address funded as one. Where funding was looked for, the others do not count: a seller could make
 * more payers than are asked for.
 */
function countSources(payers: readonly Payer[], funders: ReceiverFacts['funders'] = new Map()): number {
  if (funders.size === 0) return payers.length
  return new Set(payers.flatMap(({ address }) => funders.get(address) ?? [])).size
}

/** Returns the addresses that the relays sent a positive amount to. */
function scanRelayed(relayed: readonly TransferColumns[]): ReadonlySet<Address> {
  const reached = new Set<Address>()
  for (const columns of relayed)
    for (let row = 0; row < columns.count; row++)
      if (!isZeroAt(columns, row)) reached.add(addressAt(columns, columns.to[row] ?? 0))
  return reached
}

/**
 * Profiles a receiver from its transfers. Times are Unix times in seconds.
 *
 * Zero-value transfers (address poisoning), transfers to itself and those of the ignored payer do not count as receipts.
 * The category and the counts outside `raw` leave out mints, which bridges make too and whose payer is not known, and
 * wash trades: payers that the receiver sent tokens to, directly (a cycle of two)
 * or through one other address (a cycle of three). The order does not matter: a rule on it could be evaded with a
 * tiny transfer sent first. Payers that one address funded before their first payment count as one for the category;
 * customers of one exchange do so too.
 */
export function profileReceiver(facts: ReceiverFacts) {
  const { receiver, isWhole } = facts
  const out = scanOutflows(facts.outflows, receiver)
  const reached = scanRelayed(facts.relayed)
  const payers = scanReceipts(facts, (payer) =>
    out.funded.has(payer) ? 'funded' : reached.has(payer) ? 'cycle' : null,
  )
  const counted = payers.filter(({ excluded }) => excluded === null)
  const payerSources = countSources(counted, facts.funders)
  const { first, last } = blockBounds(payers)
  const timeOf = (block: number) => (block < 0 ? null : (facts.blockTimes.get(block) ?? null))
  const adjusted = count(counted, facts)
  const excludedAs = (reason: Exclusion) => payers.filter(({ excluded }) => excluded === reason).length
  return {
    receiver,
    category: categorise(adjusted.receipts, adjusted.receipts30d, payerSources),
    isContract: facts.isContract,
    isSanctioned: facts.isSanctioned,
    ...adjusted,
    /** The same counts with all payers, and mints as those of one payer. `raw.receipts` of 0 means never paid, if the history is whole. */
    raw: count(payers, facts),
    /** Distinct sources of the payers whose funding was looked for, or the number of payers; it decides the category. */
    payerSources,
    /** Payers left out because the receiver had sent them tokens. */
    selfFundedExcluded: excludedAs('funded'),
    /** Payers left out because an address that the receiver funded had sent them tokens. */
    cycleExcluded: excludedAs('cycle'),
    /** Null unless the history is whole. */
    firstReceiptAt: isWhole ? timeOf(first) : null,
    lastReceiptAt: timeOf(last),
    outflows: out.count,
    lastOutflowAt: timeOf(out.lastBlock),
    /** First block that was read. */
    historyFrom: facts.historyFrom,
    isWhole,
    /** Last block that was read. */
    block: facts.asOf,
  }
}
