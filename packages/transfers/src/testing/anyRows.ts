// Arbitrary rows, and helpers to compute expected figures without the code under test.
import fc from 'fast-check'
import type { AnswerContext } from '../figures/answer.ts'
import { createLabels } from '../figures/labels.ts'
import type { TokenFacts } from '../types.ts'
import type { Row } from './columnsOf.ts'

export const ZERO = `0x${'0'.repeat(40)}`
const DEAD = '0x000000000000000000000000000000000000dead'
export const ROUTER = '0x2626664c2603336e57b271c5c0b26f421741e481'
export function who(n: number) {
  return `0x${(n + 1).toString(16).padStart(40, 'a')}`
}
export const TOKEN: TokenFacts = {
  address: `0x${'7'.repeat(40)}`,
  isContract: true,
  isErc20: true,
  isErc721: false,
  isErc404: false,
  implementation: null,
  name: 'USD Coin',
  symbol: 'USDC',
  decimals: 6,
  decimalsSource: 'call',
  totalSupply: 1n,
}
const FROM = 1000
const TO = 1599

/** Creates the context of an answer: a window of one hour, complete by default. */
export function contextOf(token: Partial<TokenFacts> = {}, complete = true): AnswerContext {
  return {
    token: { ...TOKEN, ...token },
    network: 'eip155:8453',
    when: 'in the last 1h',
    window: {
      name: '1h',
      fromBlock: FROM,
      toBlock: TO,
      fromTime: '2026-01-01T00:00:00.000Z',
      toTime: '2026-01-01T01:00:00.000Z',
      headLagBlocks: 0,
      finality: 'finalized',
      complete,
      truncated: false,
      ranges: [{ from: FROM, to: TO }],
    },
    labels: createLabels(8453),
    isContract: (address) => (address === who(1) ? true : address === who(2) ? false : undefined),
    checksum: (address) => address,
    warnings: [],
    fit: null,
    hasSupplyLogs: false,
    ts: '2026-01-01T01:00:01.000Z',
  }
}

/** Sixty of these stay within 78 digits. */
const MAX_VALUE = 2n ** 249n
const value = fc.oneof(
  { weight: 5, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 12n }) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 96n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: MAX_VALUE }) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 2n ** 48n - 1n, 2n ** 96n - 1n, MAX_VALUE) },
)
const party = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 7 }).map(who) },
  { weight: 1, arbitrary: fc.constantFrom(ZERO, DEAD, ROUTER) },
)
/** Arbitrary transfers: few addresses, values of all widths, some in the same transaction. */
export const rows: fc.Arbitrary<Row[]> = fc
  .array(
    fc.record({ gap: fc.integer({ min: 0, max: 9 }), sameTx: fc.boolean(), from: party, to: party, value }),
    { maxLength: 60 },
  )
  .map((list) => {
    let block = FROM
    let tx = 0
    return list.map(({ gap, sameTx, from, to, value: amount }) => {
      if (!sameTx) {
        tx++
        block += gap
      }
      return { block, tx, from, to, value: amount }
    })
  })

export function sum(values: readonly bigint[]) {
  return values.reduce((total, each) => total + each, 0n)
}
export function sorted(values: readonly bigint[]) {
  return [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}
export function raw(amount: { raw: string }) {
  return BigInt(amount.raw)
}
export function isBurn(address: string) {
  return address === ZERO || address === DEAD
}

/** Returns the distinct addresses of a list, without the zero address. */
export function names(list: readonly Row[]) {
  return [...new Set(list.flatMap((row) => [row.from, row.to]))].filter((name) => name !== ZERO)
}
