import fc from 'fast-check'
import { DEPOSIT_TOPIC, TRANSFER_TOPIC, WITHDRAWAL_TOPIC } from '../logs/decodeJson.ts'

/** Address without 0x, as the decoders expect it. */
export const TOKEN = '833589fcd6edb6e08f4c7c32d4f71b54bda02913'

/** A log as a node sends it. */
export type Log = Record<string, unknown> & { topics: `0x${string}`[]; data: `0x${string}`; removed: boolean }

const hex = (digits: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)).map((text): `0x${string}` => `0x${text}`)
const topicAddress = hex(40).map((address): `0x${string}` => `0x${'0'.repeat(24)}${address.slice(2)}`)
const word = fc
  .oneof(
    fc.bigInt({ min: 0n, max: 2n ** 48n }),
    fc.bigInt({ min: 0n, max: 2n ** 96n }),
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    fc.constantFrom(0n, 2n ** 48n - 1n, 2n ** 48n, 2n ** 96n - 1n, 2n ** 96n, 2n ** 256n - 1n),
  )
  .map((value): `0x${string}` => `0x${value.toString(16).padStart(64, '0')}`)
const upTo = (max: number) => fc.integer({ min: 0, max }).map((value) => `0x${value.toString(16)}`)
const quantity = upTo(0xffff_ffff)

const topics = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(topicAddress, topicAddress).map(([from, to]) => [TRANSFER_TOPIC, from, to]),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(DEPOSIT_TOPIC, WITHDRAWAL_TOPIC), topicAddress),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(topicAddress, topicAddress, hex(64)).map((rest) => [TRANSFER_TOPIC, ...rest]),
  },
  { weight: 1, arbitrary: fc.array(hex(64), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant([TRANSFER_TOPIC]) },
)
/** Arbitrary logs, mostly transfers, deposits and withdrawals of {@link TOKEN}. */
export const log = fc
  .record({
    address: fc.constant(`0x${TOKEN}`),
    topics,
    data: fc.oneof(
      { weight: 8, arbitrary: word },
      { weight: 1, arbitrary: fc.constantFrom('0x', `0x${'1'.repeat(128)}`) },
    ),
    blockHash: hex(64),
    blockNumber: quantity,
    blockTimestamp: quantity,
    transactionHash: hex(64),
    transactionIndex: quantity,
    logIndex: upTo(0x7fff_ffff),
    removed: fc.oneof(
      { weight: 9, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  })
  .map((value) => value as unknown as Log)

/** Arbitrary logs with shuffled members, an unknown one among them, some in upper case. */
export const shuffled = fc
  .tuple(log, fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), fc.boolean(), fc.jsonValue())
  .map(([value, order, upper, extra]) => {
    const keys = [...Object.entries(value), ['extra"\\', extra] as const]
    const sorted = keys.map((entry, i) => ({ entry, rank: order[i] ?? 0 })).sort((a, b) => a.rank - b.rank)
    const out = Object.fromEntries(sorted.map(({ entry }) => entry)) as Log
    if (!upper) return out
    const raise = (text: `0x${string}`): `0x${string}` => `0x${text.slice(2).toUpperCase()}`
    return {
      ...out,
      topics: out.topics.map(raise),
      data: raise(out.data),
      transactionHash: raise(out.transactionHash as `0x${string}`),
    }
  })
