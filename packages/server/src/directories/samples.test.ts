import { expect, test } from 'vitest'
import { readBazaarInput } from './sampleInput.ts'
import { toRow } from './toRow.ts'

const NONE = {
  network: null,
  asset: null,
  payTo: null,
  amountAtomic: null,
  priceUsd: null,
  healthy: null,
  calls: null,
}

/** Returns the other URLs of a GET whose query has these schemas. */
function samplesOf(queryParams: object, properties: object, ownClaim = true) {
  const input = readBazaarInput({
    info: { input: { type: 'http', method: 'GET', queryParams } },
    schema: { properties: { input: { properties: { queryParams: { properties } } } } },
  })
  const row = { directory: 'host', title: null, category: null, claims: NONE, claimedAt: null, ownClaim }
  return toRow({ ...row, listedUrl: 'https://api.example/a', method: 'GET', input }).samples
}

test('default: the other values of enums, examples and ranges are kept, one parameter each', () => {
  const properties = {
    of: { type: 'string', enum: ['ann', 'bob'], examples: ['cy', 'string'] },
    limit: { type: 'integer', minimum: 1, maximum: 9 },
  }
  const found = samplesOf({ of: 'ann', limit: 5 }, properties)
  expect(found).toEqual(
    ['of=bob&limit=5', 'of=ann&limit=1', 'of=ann&limit=9'].map((query) => `https://api.example/a?${query}`),
  )
})

test('behavior: hostile declarations are bounded', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => `v${index}`)
  expect(samplesOf({ of: 'v0' }, { of: { type: 'string', enum: many } })).toHaveLength(7)
  const odd = [{ toString: 1 }, null, ['x'], 'x'.repeat(5_000)]
  expect(samplesOf({ of: 'v0' }, { of: { enum: ['v0', ...odd] } })).toBeUndefined()
})

test('behavior: a listing of somebody else has no other values', () => {
  expect(samplesOf({ of: 'ann' }, { of: { type: 'string', enum: ['ann', 'bob'] } }, false)).toBeUndefined()
})
