import {
  decodeBase64Json,
  decodeChallenge,
  OPERATIONS,
  PAID_OPERATIONS,
  parseQuery,
} from '@touchstone402/shared'
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar'
import { expect, test } from 'vitest'
import { challenge, createTerms } from './terms.ts'

const OPTIONS = {
  network: 'eip155:8453',
  payTo: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  publicUrl: 'https://trust.example',
  priceUsd: '0.005',
}

test('default: offers the same price and receiver in v2 and v1', () => {
  for (const id of PAID_OPERATIONS) {
    const { headers, body } = challenge(createTerms(id, OPTIONS), 'payment_required', true)
    const { offers, problems, disagreements, resource } = decodeChallenge({
      header: headers['PAYMENT-REQUIRED'],
      body,
    })
    expect(problems).toEqual([])
    expect(disagreements).toEqual([])
    expect(resource).toBe(`https://trust.example${OPERATIONS[id].path}`)
    expect(
      offers.map(({ x402Version, network, amountAtomic, payTo }) => [
        x402Version,
        network,
        amountAtomic,
        payTo,
      ]),
    ).toEqual(
      [2, 1].map((version) => [version, 'eip155:8453', '5000', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8']),
    )
  }
})

test('behavior: declares every operation for discovery with a working sample query', () => {
  for (const id of PAID_OPERATIONS) {
    type Declared = {
      bazaar: Parameters<typeof validateDiscoveryExtension>[0] & {
        info: { input: { method: string; queryParams: Record<string, string> }; output?: { example: object } }
      }
    }
    const terms = createTerms(id, OPTIONS)
    const full = terms.extensions as Declared
    const { headers } = challenge(terms, 'payment_required', true)
    const inHeader = decodeBase64Json(headers['PAYMENT-REQUIRED'])?.extensions as Declared
    for (const { bazaar } of [full, inHeader]) {
      expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true })
      expect(validateDiscoveryExtensionSpec({ ...bazaar })).toEqual({ valid: true })
      expect(bazaar.info.input.method).toBe('GET')
      const search = new URLSearchParams(bazaar.info.input.queryParams).toString()
      expect(parseQuery(OPERATIONS[id].query, search).ok).toBe(true)
    }
    expect(Object.keys(full.bazaar.info.output?.example ?? {}).length).toBeGreaterThan(2)
    expect(inHeader.bazaar.info.output).toBeUndefined()
  }
})

test('behavior: offers nothing in v1 if the facilitator does not settle v1', () => {
  const { body } = challenge(createTerms('trust', OPTIONS), 'payment_required', false)
  expect(JSON.parse(body)).toEqual({ x402Version: 1, error: 'payment_required', accepts: [] })
})

test('error: names the wrong setting', () => {
  expect(() => createTerms('trust', { ...OPTIONS, network: 'eip155:56' })).toThrow(/^network: eip155:56 /)
  expect(() =>
    createTerms('trust', { ...OPTIONS, network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }),
  ).toThrow(/^network: /)
  expect(() => createTerms('trust', { ...OPTIONS, priceUsd: '0.0009' })).toThrow(/^prices: trust /)
  expect(() => createTerms('trust', { ...OPTIONS, priceUsd: 'free' })).toThrow()
})
