import { gzipSync } from 'node:zlib'
import { encodeBase64Json } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { checksNoAnswers } from '../../../contract/checksNoAnswers.ts'
import { LAX } from '../lax.ts'
import { readLeniently } from './buyers.ts'
import { BASE, usdcEntry } from './names.ts'

checksNoAnswers('it reads challenges that it writes')

const { asset, payTo } = usdcEntry(BASE, `0x${'ab'.repeat(20)}`, '10000')
const ENTRY = { scheme: 'exact', network: BASE, asset, payTo, amount: '10000', maxTimeoutSeconds: 300 }
const OFFER = { network: BASE, asset, payTo, amountAtomic: 10_000n }

const inHeader = (entry: object) => ({
  status: 402,
  headers: { 'payment-required': encodeBase64Json({ x402Version: 2, accepts: [entry] }) },
  body: '',
})

test.each(Object.entries(LAX))('behavior: a buyer reads an entry spelled as %s', (name, spell) => {
  const network = name === 'zero-in-chain-id' ? 'eip155:08453' : BASE
  expect(readLeniently(inHeader(spell(ENTRY)))).toEqual([{ ...OFFER, network }])
})

test('behavior: a buyer reads a body under two codings, and one that only its own decoder reads', () => {
  const body = JSON.stringify({ x402Version: 1, accepts: [{ ...ENTRY, network: 'base' }] })
  const twice = { status: 402, headers: { 'content-encoding': 'gzip, gzip' }, body: gzipSync(gzipSync(body)) }
  expect(readLeniently(twice)).toEqual([OFFER])
  expect(readLeniently({ status: 402, headers: {}, body: 'unreadable', decoded: body })).toEqual([OFFER])
})

test('error: nothing is signed from another status, or without an amount', () => {
  expect(readLeniently({ ...inHeader(ENTRY), status: 200 })).toEqual([])
  expect(readLeniently(inHeader({ ...ENTRY, amount: '$0.01' }))).toEqual([])
})
