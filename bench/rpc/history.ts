import { findNetwork } from '@touchstone402/shared'
import { seededRandom } from '@touchstone402/shared/testing'

/** A chain like Base with payments to receivers; its head follows a clock. */
export type History = {
  /** Returns a block by number or tag; null above the head. */
  block(at: string): { number: string; hash: string; timestamp: string }
  /** Returns the logs of blocks whose topics match. */
  logs(from: number, to: number, topics: readonly (null | string | readonly string[])[]): readonly object[]
  balance(holder: string): bigint
}

export const USDC = (findNetwork('eip155:8453')?.usdc ?? '').toLowerCase()
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Of Base, in seconds. */
const GENESIS = 1_686_789_347
const BLOCK_SECONDS = 2
const FINALITY_BLOCKS = 600
const DAY_SECONDS = 86_400

type Row = { readonly block: number; readonly from: string; readonly to: string; readonly value: bigint }

const hex = (value: number) => `0x${value.toString(16)}`
const addressOf = (kind: string, n: number) => `0x${kind.repeat(2)}${n.toString(16).padStart(38, '0')}`
const topicOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
const hashOf = (block: number) => `0x${block.toString(16).padStart(64, 'b')}`
const blockAt = (seconds: number) => Math.floor((seconds - GENESIS) / BLOCK_SECONDS)

/** Returns the address of a receiver. Of three, one was never paid, one a few times, and one is established. */
export const receiverOf = (n: number) => addressOf('a', n)

function* paymentsOf(n: number, untilSeconds: number, next: () => number): Generator<Row> {
  const payments = [0, 5, 300][n % 3] ?? 0
  const payers = [0, 3, 40][n % 3] ?? 0
  const days = 80
  const funder = addressOf('f', n)
  for (let i = 0; i < payments; i++) {
    const daysAgo = days * (1 - i / payments) + next() / 2 + 0.5
    const block = blockAt(untilSeconds - daysAgo * DAY_SECONDS)
    const payer = addressOf('c', n * 1000 + (i % payers))
    if (i < payers) yield { block: block - 900, from: funder, to: payer, value: 5_000_000n }
    yield { block, from: payer, to: receiverOf(n), value: 10_000n }
  }
}

/** Creates the history of a number of receivers. `now` is Unix time in ms. */
export function createHistory(receivers: number, now: () => number): History {
  const next = seededRandom(11)
  const start = now() / 1000
  const rows = Array.from({ length: receivers }, (_, n) => [...paymentsOf(n, start, next)])
    .flat()
    .sort((a, b) => a.block - b.block)
  const byParty = new Map<string, Row[]>()
  const balances = new Map<string, bigint>()
  for (const row of rows) {
    for (const key of [`from ${row.from}`, `to ${row.to}`])
      byParty.set(key, [...(byParty.get(key) ?? []), row])
    balances.set(row.to, (balances.get(row.to) ?? 0n) + row.value)
    balances.set(row.from, (balances.get(row.from) ?? 0n) - row.value)
  }
  const head = () => blockAt(now() / 1000)
  const numberOf = (at: string) =>
    at === 'latest' ? head() : at.startsWith('0x') ? Number(at) : head() - FINALITY_BLOCKS
  const logOf = ({ block, from, to, value }: Row) => ({
    address: USDC,
    topics: [TRANSFER, topicOf(from), topicOf(to)],
    data: `0x${value.toString(16).padStart(64, '0')}`,
    blockNumber: hex(block),
    transactionHash: hashOf(block),
    transactionIndex: '0x0',
    blockHash: hashOf(block),
    logIndex: hex(Number(value % 1000n) + Number.parseInt(from.slice(-4), 16)),
    removed: false,
  })
  return {
    block(at) {
      const number = numberOf(at)
      return { number: hex(number), hash: hashOf(number), timestamp: hex(GENESIS + number * BLOCK_SECONDS) }
    },
    logs(from, to, [, sender, recipient]) {
      const [side, topic] = sender == null ? ['to', recipient] : ['from', sender]
      const wanted = (Array.isArray(topic) ? topic : [topic]).map((one) => `0x${String(one).slice(-40)}`)
      const inRange = ({ block }: Row) => block >= from && block <= to
      return wanted
        .flatMap((address) => (byParty.get(`${side} ${address}`) ?? []).filter(inRange))
        .sort((a, b) => a.block - b.block)
        .map(logOf)
    },
    balance: (holder) => balances.get(holder) ?? 0n,
  }
}
