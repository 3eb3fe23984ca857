import { DatasetRecordSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import type { EndpointState, HostDocument } from '../facts/hostDocument.ts'
import { HOUR } from '../facts/times.ts'
import { rankServices } from '../readModel/rankServices.ts'
import { putHosts } from '../readModel/testing/putHosts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aReceiver, documentOf, NOON } from '../store/testing/records.ts'
import { describeRecord, findReceiver } from './dataset.ts'
import { describeReceiver } from './liveCheck.ts'

const host = (name: string, ...endpoints: Partial<EndpointState>[]): HostDocument => {
  const document = documentOf(name, NOON)
  const [first] = document.endpoints
  if (first === undefined) throw new Error('a document has an endpoint')
  const changed = (endpoints.length > 0 ? endpoints : [{}]).map((changes, path) => ({
    ...first,
    endpoint: `https://${name}/${String.fromCharCode(97 + path)}`,
    ...changes,
  }))
  return { ...document, endpoints: changed }
}

const DEAD = { status: 'dark', verdict: 'avoid', score: 0 } as const
const rank = async (hosts: HostDocument[], all: boolean, limit = 100, now = NOON) => {
  const store = createMemoryStore()
  await putHosts(store, ...hosts)
  const ranked = await rankServices(store, { all, limit }, now)
  return [ranked.hosts, ranked.total]
}

test('default: ranks working services best first, ties by name', async () => {
  const hosts = [
    host('a', { score: 75 }),
    host('b', DEAD),
    host('c', { score: 95 }),
    host('d', { score: 75 }),
    host('e', { status: 'invalid', verdict: 'avoid', score: 0 }),
    host('f', DEAD, { score: 60 }),
  ]
  expect(await rank(hosts, false)).toEqual([['c', 'a', 'd', 'f'], 4])
  expect(await rank(hosts, true)).toEqual([['c', 'a', 'd', 'f', 'b', 'e'], 6])
  expect(await rank(hosts, true, 2)).toEqual([['c', 'a'], 6])
})

test('behavior: includes live services to avoid, but no expired ones', async () => {
  const hosts = [
    host('a', { verdict: 'avoid', riskLevel: 'high', flags: ['cloaked'], score: 100 }),
    host('b'),
  ]
  expect(await rank(hosts, false)).toEqual([['b', 'a'], 2])
  expect(await rank(hosts, false, 100, NOON + 49 * HOUR)).toEqual([[], 0])
  expect(await rank(hosts, true, 100, NOON + 49 * HOUR)).toEqual([['a', 'b'], 2])
})

test('default: a record holds the profile, the receiver’s chain facts and the histories', () => {
  const receiver = aReceiver({ lastOutflowAt: NOON - HOUR })
  const period = { from: '2026-06-01T00:00:00.000Z', to: null }
  const price = { priceUsd: 0.001, amountAtomic: '1000', ...period }
  const document = host('a.example', {
    payTo: receiver.address.toUpperCase().replace('0X', '0x'),
    network: receiver.network,
    priceHistory: [price],
  })
  const record = describeRecord(document, describeReceiver(receiver, 3), NOON)
  expect(DatasetRecordSchema.parse(record)).toEqual(record)
  expect(record).toMatchObject({
    host: 'a.example',
    trustScore: 91,
    verdict: 'safe',
    flags: [],
    receiverProfile: 'established',
    receiverStability: 'stable',
    receiver: {
      address: receiver.address,
      category: 'established',
      historyFrom: { time: new Date(NOON - 2).toISOString(), block: null },
      wholeHistory: false,
      receiptsEver: null,
      firstReceiptAt: null,
      receipts30d: 4,
      unadjusted: null,
      sanctions: null,
      lastOutflowAt: new Date(NOON - HOUR).toISOString(),
      sharedByHosts: 3,
    },
    payToHistory: [],
    priceHistory: [{ ...price, endpoint: 'https://a.example/a' }],
  })
})

test('behavior: facts about the whole life of the token are stated only if it was read', () => {
  const unadjusted = { receipts30d: 9, receipts90d: 20, payers30d: 4, payers90d: 7 }
  const sanctions = { contract: '0x3A91A31cB3dC49b4db9Ce721F50a9D076c8D739B', isListed: false }
  const read = { historyFromBlock: 0, unadjusted, cycleExcluded: 2, sanctions }
  const describe = (isWholeLife: boolean) => {
    const receiver = aReceiver({ ...read, isWholeLife })
    const { network, address } = receiver
    const record = describeRecord(host('a', { payTo: address, network }), describeReceiver(receiver, 1), NOON)
    expect(DatasetRecordSchema.parse(record)).toEqual(record)
    return record.receiver
  }
  expect(describe(true)).toMatchObject({
    historyFrom: { block: 0 },
    wholeHistory: true,
    receiptsEver: 12,
    firstReceiptAt: new Date(NOON - 1).toISOString(),
    receipts30d: 4,
    unadjusted,
    cyclePayers: 2,
    sanctions,
  })
  expect(describe(false)).toMatchObject({ wholeHistory: false, receiptsEver: null, firstReceiptAt: null })
})

test('behavior: uses the receiver that most live endpoints name', () => {
  const one = aReceiver({ address: '0x01' })
  const two = aReceiver({ address: '0x02' })
  const named = ({ address, network }: typeof one, more: Partial<EndpointState> = {}) => ({
    payTo: address,
    network,
    ...more,
  })
  const document = host('a', named(one, DEAD), named(one, DEAD), named(one), named(two), named(two))
  expect(findReceiver(document, NOON)?.payTo).toBe('0x02')
  expect(findReceiver(host('a', { payTo: null }), NOON)).toBeUndefined()
})
