import { expect, test } from 'vitest'
import { readClaims } from './claims.ts'
import { isConditional } from './priceConditions.ts'

test.each([
  { price: '$0.01' },
  { price: { mode: 'fixed', amount: '0.01', currency: 'USD' } },
  { price: '$0.01', unit: 'request' },
  { price: '$0.01', per: 'call', pricingMode: 'per_call' },
  { price: '$0.01', pricingMode: ' ' },
  // The abuse: a word that says nothing about the price.
  { price: '$0.01', mode: 'live' },
  { price: '$0.01', unit: 'credit' },
  { price: '$0.01', max: 100 },
  { price: { amount: '0.01', currency: 'USD', min: '0.01', max: '0.01' } },
])('default: %j is one price per call', (entry) => {
  expect(isConditional(entry)).toBe(false)
  expect(readClaims([entry]).claims.priceUsd).toBe(0.01)
})

test.each([
  { price: '$0.001', pricingMode: 'dynamic' },
  { price: { mode: 'range', amount: '0.001', currency: 'USD' } },
  { price: '$0.001', unit: '1k tokens' },
  { price: '$0.001', per: '1000 tokens', minimum: '$0.003' },
  { price: { amount: '0.001', currency: 'USD', min: '0.001', max: '1' } },
  { amount: '0.001', currency: 'USD', pricing: { mode: 'usage' } },
])('behavior: %j is a range, and claims no price of a call', (entry) => {
  expect(isConditional(entry)).toBe(true)
  expect(readClaims([entry]).claims).toMatchObject({ priceUsd: null, amountAtomic: null })
})
