import { ESTABLISHED_PAYERS, ESTABLISHED_RECEIPTS, isRecord } from '@touchstone402/shared'
import { numberToHex } from 'viem'
import { addressAt, findAddress, isZeroAt } from './columns/columns.ts'
import { TRANSFER_TOPIC } from './logs/decodeJson.ts'
import type {
  Address,
  Funders,
  Heads,
  ReadOptions,
  ReceiverQuery,
  TransferColumns,
  TransferSource,
} from './types.ts'

/** Payers whose funders are read: the first ones, which made the receiver look established. */
const MAX_PAYERS = 100
/** Blocks before a first payment in which its payer's funding is looked for: a day of 2-second blocks. */
const WINDOW_BLOCKS = 43_200
/** Requests of one look-up. */
const MAX_REQUESTS = 12
/** Shorter ranges are not tried where an RPC refuses longer ones. */
const MIN_BLOCKS = 2_000
/** Sender of minted tokens, which many unrelated payers share. */
const MINT = `0x${'0'.repeat(40)}`
/** Logs of one reply that are read. */
const MAX_LOGS = 10_000

/** Funders that were read in full, by token and receiver, with the first payments that they were read for, and when. */
export type KnownFunders = Map<
  string,
  { readonly key: string; readonly funders: Funders; readonly at: number }
>

const MAX_KNOWN = 1000
/** Seconds for which they are kept: an RPC that lacks old logs may have answered. */
const KNOWN_SECONDS = 86_400

type First = { readonly payer: Address; readonly block: number }
type Range = { readonly from: number; readonly to: number }

/**
 * Reads who sent tokens to the payers of a receiver before their first payment. Payers whose funding is not found within
 * the requests are their own source. Reads nothing unless the receiver could be established.
 */
export async function readFunders(
  source: Pick<TransferSource, 'request'>,
  { token, receiver }: Pick<ReceiverQuery, 'token' | 'receiver'>,
  receipts: TransferColumns,
  { heads, known }: { readonly heads: Heads; readonly known: KnownFunders },
  read: ReadOptions,
): Promise<Funders> {
  const firsts = listFirsts(receipts, receiver)
  if (firsts.length < ESTABLISHED_PAYERS || receipts.count < ESTABLISHED_RECEIPTS) return new Map()
  const asked = firsts.slice(0, MAX_PAYERS)
  const key = asked.map(({ payer, block }) => `${payer} ${block}`).join()
  const name = `${token} ${receiver}`
  const last = known.get(name)
  const at = heads.latest.time
  if (last?.key === key && Math.abs(at - last.at) < KNOWN_SECONDS) return last.funders
  const funders = new Map<Address, Address>(asked.map(({ payer }) => [payer, payer]))
  const byPayer = new Map(asked.map(({ payer, block }) => [payer, block]))
  const largest = new Map<Address, bigint>()
  const open = mergeWindows(asked).reverse()
  let isCut = false
  for (let left = MAX_REQUESTS; left > 0; left--) {
    const range = open.pop()
    if (range === undefined) break
    const logs = await requestLogs(source, token, asked, range, read)
    if (logs === null) {
      const middle = Math.floor((range.from + range.to) / 2)
      if (range.to - range.from < 2 * MIN_BLOCKS) isCut = true
      else open.push({ from: middle + 1, to: range.to }, { from: range.from, to: middle })
      continue
    }
    for (const { from, to, block, value } of logs) {
      // The largest amount: dust from a rival makes nobody its customer.
      const isFunding = block <= (byPayer.get(to) ?? -1) && value > (largest.get(to) ?? 0n)
      if (!isFunding || from === receiver.toLowerCase() || from === to || from === MINT) continue
      largest.set(to, value)
      funders.set(to, from)
    }
  }
  const isFinal = asked.every(({ block }) => block <= heads.finalized.number)
  if (open.length === 0 && isFinal && !isCut) {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(name, { key, funders, at })
  }
  return funders
}

/** Returns the payers by their first payment. */
function listFirsts(receipts: TransferColumns, receiver: Address): First[] {
  const self = findAddress(receipts, receiver)
  const firsts = new Map<number, number>()
  for (let row = 0; row < receipts.count; row++) {
    const from = receipts.from[row] ?? 0
    if (receipts.to[row] !== self || from === self || isZeroAt(receipts, row) || firsts.has(from)) continue
    firsts.set(from, receipts.block[row] ?? 0)
  }
  return [...firsts].map(([from, block]) => ({ payer: addressAt(receipts, from), block }))
}

/** Returns the blocks in which funding is looked for, as ranges that do not overlap. */
function mergeWindows(firsts: readonly First[]): Range[] {
  const merged: Range[] = []
  for (const { block } of firsts.toSorted((a, b) => a.block - b.block)) {
    const from = Math.max(0, block - WINDOW_BLOCKS)
    const last = merged.at(-1)
    if (last !== undefined && from <= last.to + 1) merged[merged.length - 1] = { from: last.from, to: block }
    else merged.push({ from, to: block })
  }
  return merged
}

type Log = { readonly from: Address; readonly to: Address; readonly block: number; readonly value: bigint }

/** Returns the transfers to any of the payers within a range, oldest first; null if no RPC returns them. */
async function requestLogs(
  source: Pick<TransferSource, 'request'>,
  token: Address,
  payers: readonly First[],
  { from, to }: Range,
  read: ReadOptions,
): Promise<Log[] | null> {
  const filter = {
    address: token,
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
    topics: [TRANSFER_TOPIC, null, payers.map(({ payer }) => `0x${payer.slice(2).padStart(64, '0')}`)],
  }
  // A range that every RPC refuses is halved, and not asked for again.
  const reply = await source.request('eth_getLogs', [filter], { ...read, rounds: 1 }).catch(() => null)
  if (!Array.isArray(reply) || reply.length > MAX_LOGS) return null
  return reply.flatMap((log) => readLog(log) ?? [])
}

/** Reads a transfer; null for anything else. */
function readLog(log: unknown): Log | null {
  if (!isRecord(log) || !Array.isArray(log.topics) || !isWord(log.data)) return null
  const [, from, to] = log.topics.map((topic) => (isWord(topic) ? toAddress(topic) : null))
  const block = typeof log.blockNumber === 'string' ? Number(log.blockNumber) : Number.NaN
  if (from == null || to == null || !Number.isSafeInteger(block)) return null
  return { from, to, block, value: BigInt(log.data) }
}

const isWord = (word: unknown): word is string => typeof word === 'string' && /^0x[0-9a-f]{64}$/i.test(word)
const toAddress = (word: string): Address => `0x${word.slice(26).toLowerCase()}`
