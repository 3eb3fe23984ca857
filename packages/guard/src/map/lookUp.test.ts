import { mapKeyOf, NO_ROW, readMapBody, SLOT_MS } from '@touchstone402/shared/map'
import {
  encodeRow,
  writeList,
  writeMapBody,
  writePrice,
  writeReceiver,
  writeTermClass,
  writeValue,
} from '@touchstone402/shared/map-write'
import { expect, test } from 'vitest'
import { lookUp } from './lookUp.ts'

const ENDPOINT = 'https://api.example.com/report'
const BASE_SLOT = 80_000
const NOW = BASE_SLOT * SLOT_MS

/** Returns what a map says of an endpoint whose list row is this text. */
function find(list: string) {
  const term = { scheme: 'exact', network: 'eip155:8453', asset: `0x${'33'.repeat(20)}`, method: 'GET' }
  const rows = [
    writeTermClass(term),
    writePrice({ class: 0, amountAtomicMin: '10000', amountAtomicMax: '10000' }),
    writeReceiver(`0x${'70'.repeat(20)}`),
    list,
  ]
  const value = writeValue({
    verdict: 'safe',
    score: 95,
    riskLevel: 'clean',
    receiverStability: 'stable',
    isThin: false,
    rotates: false,
    expirySlot: BASE_SLOT + 4,
    rows: [3, NO_ROW],
  })
  const records = Buffer.concat([mapKeyOf(ENDPOINT), value])
  const body = readMapBody(writeMapBody({ baseSlot: BASE_SLOT, records, rows: rows.map(encodeRow) }))
  const header = {
    issuer: 'https://touchstone.example',
    version: 1,
    previous: null,
    issuedAt: NOW,
    expiresAt: NOW + SLOT_MS,
    entries: 1,
    bytes: body.bytes.length,
    sha256: '',
    scoreVersion: '1.3.0',
  }
  const found = lookUp({ header, body } as Parameters<typeof lookUp>[0], ENDPOINT, NOW)
  return found.state === 'signed' ? found.verdict : null
}

const offers = [[2, 1]] as const

test('default: a verdict of the map states the delivery of its entry', () => {
  const delivered = { month: '2026-11', paidUsd: 0.01 }
  expect(find(writeList({ hosts: [], offers, delivered }))).toMatchObject({
    terms: [{ amountAtomicMax: '10000' }],
    delivery: { status: 'delivered', reason: null, ...delivered },
  })
  expect(find(writeList({ hosts: [], offers }))?.delivery).toBeUndefined()
})

test('behavior: a delivery in a form of a later version is none, and the entry stays readable', () => {
  for (const delivered of [
    null,
    1,
    'yes',
    {},
    [],
    ['2026-11'],
    [1, 2],
    ['2026-11', '0.01'],
    ['2026-11', null],
  ])
    expect(find(JSON.stringify({ hosts: [], offers, delivered }))).toMatchObject({
      verdict: 'safe',
      delivery: undefined,
    })
})
