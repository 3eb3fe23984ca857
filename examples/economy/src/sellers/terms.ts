import { type Address, parseUnits } from 'viem'
import { USDC, USDC_BASE_SEPOLIA } from '../chain/usdc.ts'

/** A network by its v1 slug and its CAIP-2 id. */
export const NETWORKS = {
  base: { slug: 'base', caip2: 'eip155:8453', usdc: USDC, usdcName: 'USD Coin' },
  'base-sepolia': { slug: 'base-sepolia', caip2: 'eip155:84532', usdc: USDC_BASE_SEPOLIA, usdcName: 'USDC' },
} as const

/** Payment terms of a seller. */
export type Terms = {
  payTo: Address
  /** Atomic units, as a decimal string. */
  amountAtomic: string
  network: keyof typeof NETWORKS
  asset: Address
  /** Validity of a payment, in seconds. */
  maxTimeoutSeconds: number
}

/** The resource that the terms are for. */
export type Offering = { url: string; method: 'GET' | 'POST'; title: string }

/** Converts a decimal USD price to atomic USDC. */
export function usdcAtomic(priceUsd: string): bigint {
  return parseUnits(priceUsd, 6)
}

/** Creates terms in USDC, by default the network's canonical contract. */
export function usdcTerms(payTo: Address, priceUsd: string, network: keyof typeof NETWORKS = 'base'): Terms {
  const amountAtomic = usdcAtomic(priceUsd).toString()
  return { payTo, amountAtomic, network, asset: NETWORKS[network].usdc, maxTimeoutSeconds: 60 }
}

/** Returns the terms as an entry of a v1 `accepts`. */
export function v1Entry(terms: Terms, offering: Offering): Record<string, unknown> {
  const network = NETWORKS[terms.network]
  return {
    scheme: 'exact',
    network: network.slug,
    maxAmountRequired: terms.amountAtomic,
    resource: offering.url,
    description: offering.title,
    mimeType: 'application/json',
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    asset: terms.asset,
    outputSchema: {
      input: { type: 'http', method: offering.method, discoverable: true },
      output: { type: 'object' },
    },
    extra: { name: network.usdcName, version: '2' },
  }
}

/** Returns the terms as an entry of a v2 `accepts`. */
export function v2Entry(terms: Terms): Record<string, unknown> {
  const network = NETWORKS[terms.network]
  return {
    scheme: 'exact',
    network: network.caip2,
    amount: terms.amountAtomic,
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: { name: network.usdcName, version: '2' },
  }
}

/** Returns the Bazaar extension, which describes the endpoint's input and output. */
export function bazaarExtension(offering: Offering): Record<string, unknown> {
  const call =
    offering.method === 'GET' ? { queryParams: { q: 'today' } } : { bodyType: 'json', body: { q: 'today' } }
  return {
    info: {
      input: { type: 'http', method: offering.method, ...call },
      output: { type: 'json', example: { title: offering.title } },
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'http' },
            method: { type: 'string', enum: [offering.method] },
            ...(offering.method === 'GET'
              ? { queryParams: { type: 'object', properties: { q: { type: 'string' } } } }
              : {
                  bodyType: { type: 'string', enum: ['json'] },
                  body: { type: 'object', properties: { q: { type: 'string' } } },
                }),
          },
          required: ['type', 'method'],
        },
      },
      required: ['input'],
    },
  }
}
