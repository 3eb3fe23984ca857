import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { profileReceiver } from './figures/profileReceiver.ts'
import { TRANSFER_TOPIC } from './logs/decodeJson.ts'
import { type KnownFunders, readFunders } from './readFunders.ts'
import { columnsOf, type Row } from './testing/columnsOf.ts'
import type { Address, Heads } from './types.ts'

const TOKEN: Address = `0x${'70'.repeat(20)}`
const RECEIVER: Address = `0x${'aa'.repeat(20)}`
const THIEF: Address = `0x${'bb'.repeat(20)}`
const RIVAL: Address = `0x${'cc'.repeat(20)}`
const payer = (n: number): Address => `0x${(n + 1).toString(16).padStart(40, '0')}`
const AS_OF = 4_000_000
const ref = (number: number) => ({
  number,
  hash: `0x${'0'.repeat(64)}` as const,
  time: 1_700_000_000 + number * 2,
})

/** Builds 60 receipts of payers in turn, 100 blocks apart. */
const receiptsOf = (payers: number): Row[] =>
  Array.from({ length: 60 }, (_, index) => ({
    block: AS_OF - 6_000 + index * 100,
    from: payer(index % payers),
    to: RECEIVER,
    value: 1_000n,
  }))

const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
const toLog = ({ block, from, to, value }: Row) => ({
  blockNumber: numberToHex(block),
  topics: [TRANSFER_TOPIC, word(from), word(to)],
  data: numberToHex(value ?? 0n, { size: 32 }),
})

type Filter = { fromBlock: string; toBlock: string; topics: [string, null, string[]] }

/** Creates an RPC that holds transfers, and refuses ranges above a number of blocks. */
function createRpc(transfers: readonly Row[], maxBlocks = Number.POSITIVE_INFINITY) {
  const asked: Filter[] = []
  const request = async (_method: string, [filter]: readonly unknown[]) => {
    const { fromBlock, toBlock, topics } = filter as Filter
    asked.push(filter as Filter)
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from + 1 > maxBlocks) throw new Error('range too large')
    return transfers
      .filter(({ block, to: payee }) => block >= from && block <= to && topics[2].includes(word(payee)))
      .map(toLog)
  }
  return { asked, request }
}

const headsAt = (latest: number, finalized = latest) => ({
  latest: ref(latest),
  safe: ref(finalized),
  finalized: ref(finalized),
})
const read = (
  receipts: Row[],
  rpc: ReturnType<typeof createRpc>,
  { known = new Map(), heads = headsAt(AS_OF) }: { known?: KnownFunders; heads?: Heads } = {},
) => readFunders(rpc, { token: TOKEN, receiver: RECEIVER }, columnsOf(receipts), { heads, known }, {})

const categoryOf = (receipts: Row[], funders: Awaited<ReturnType<typeof read>>) =>
  profileReceiver({
    receiver: RECEIVER,
    receipts: columnsOf(receipts),
    outflows: columnsOf([]),
    relayed: [],
    funders,
    isContract: false,
    isSanctioned: null,
    isWhole: true,
    asOf: ref(AS_OF),
    historyFrom: ref(0),
    block30d: AS_OF - 1_000_000,
    block90d: AS_OF - 3_000_000,
    blockTimes: new Map(),
  })

const fundedBy = (from: (index: number) => Address, payers: number, value = 50_000n): Row[] =>
  Array.from({ length: payers }, (_, index) => ({
    block: AS_OF - 9_000 + index,
    from: from(index),
    to: payer(index),
    value,
  }))

test('rule 13, abuse: twelve payers that one address funded do not make a receiver established', async () => {
  const receipts = receiptsOf(12)
  const rpc = createRpc(fundedBy(() => THIEF, 12))
  const found = categoryOf(receipts, await read(receipts, rpc))
  expect(found).toMatchObject({ category: 'blank', payers: 12, payerSources: 1 })
  expect(rpc.asked).toHaveLength(1)
})

test('rule 13, honest: payers whose tokens were minted are not one source', async () => {
  const receipts = receiptsOf(12)
  const rpc = createRpc(fundedBy(() => `0x${'0'.repeat(40)}`, 12))
  expect(categoryOf(receipts, await read(receipts, rpc))).toMatchObject({ payerSources: 12 })
})

test('default: payers of different sources count each, and so do those whose funding is not found', async () => {
  const receipts = receiptsOf(12)
  const rpc = createRpc(fundedBy((index) => `0x${(index + 500).toString(16).padStart(40, '0')}`, 6))
  expect(categoryOf(receipts, await read(receipts, rpc))).toMatchObject({
    category: 'established',
    payerSources: 12,
  })
})

test('rule 13, honest: dust from a rival before their first payment does not make payers one', async () => {
  const receipts = receiptsOf(12)
  const own = fundedBy((index) => `0x${(index + 500).toString(16).padStart(40, '0')}`, 12)
  const dust = fundedBy(() => RIVAL, 12, 1n).map((row) => ({ ...row, block: row.block + 100 }))
  const rpc = createRpc([...own, ...dust])
  expect(categoryOf(receipts, await read(receipts, rpc))).toMatchObject({ category: 'established' })
})

test('rule 13, abuse: more payers than are asked for do not outnumber the ones that one address funded', async () => {
  const receipts = Array.from({ length: 300 }, (_, index) => ({
    block: AS_OF - 6_000 + index,
    from: payer(index),
    to: RECEIVER,
    value: 1_000n,
  }))
  const rpc = createRpc(fundedBy(() => THIEF, 300))
  expect(categoryOf(receipts, await read(receipts, rpc))).toMatchObject({
    category: 'blank',
    payers: 300,
    payerSources: 1,
  })
})

test('behavior: funders of final payments are read once a day', async () => {
  const receipts = receiptsOf(12)
  const rpc = createRpc(fundedBy(() => THIEF, 12))
  const known: KnownFunders = new Map()
  const first = await read(receipts, rpc, { known, heads: headsAt(AS_OF, 0) })
  await read(receipts, rpc, { known })
  expect(rpc.asked).toHaveLength(2)
  expect(await read(receipts, rpc, { known })).toEqual(first)
  expect(rpc.asked).toHaveLength(2)
  await read(receiptsOf(13), rpc, { known })
  expect(rpc.asked).toHaveLength(3)
  await read(receiptsOf(13), rpc, {
    known,
    heads: { ...headsAt(AS_OF), latest: { ...ref(AS_OF), time: ref(AS_OF).time + 86_400 } },
  })
  expect(rpc.asked).toHaveLength(4)
})

test('behavior: asks for shorter ranges where long ones are refused, within twelve requests', async () => {
  const receipts = receiptsOf(12)
  const rpc = createRpc(
    fundedBy(() => THIEF, 12),
    20_000,
  )
  expect(new Set((await read(receipts, rpc)).values())).toEqual(new Set([THIEF]))
  const refusing = createRpc([], 0)
  const funders = await read(receipts, refusing)
  expect(refusing.asked.length).toBeLessThanOrEqual(12)
  expect(categoryOf(receipts, funders)).toMatchObject({ category: 'established', payerSources: 12 })
})

test('behavior: a receiver that cannot be established costs no request', async () => {
  const rpc = createRpc([])
  expect((await read(receiptsOf(9), rpc)).size).toBe(0)
  expect(rpc.asked).toEqual([])
})
