import { atomicToUsd } from '@touchstone402/shared'
import type { Entry, Phase } from './types.ts'

/** The form of an OpenAPI document, which declares the input too. */
export const OPEN_API = 3

type Documents = Pick<Phase, 'wellKnown' | 'openApi'>

/**
 * Returns a document of a host that states the price of `/api`, in one of the forms of the field.
 * @param entry what the document claims
 */
export function documentOf(form: number, host: string, entry: Entry): Documents {
  const usd = atomicToUsd(entry.network, entry.asset, BigInt(entry.amountAtomic)) ?? 0
  const { network, asset, payTo, amountAtomic } = entry
  const url = `https://${host}/api`
  const write = (document: object): Documents => ({ wellKnown: JSON.stringify(document) })
  const forms: readonly (() => Documents)[] = [
    () => write({ resources: [{ url, price: `$${usd}` }] }),
    () => write({ endpoints: { '/api': { price: `${usd} USDC` } } }),
    () =>
      write({
        version: 1,
        resources: [
          {
            resource: url,
            method: 'GET',
            accepts: [{ scheme: 'exact', network, asset, payTo, maxAmountRequired: amountAtomic }],
          },
        ],
      }),
    () => ({ openApi: JSON.stringify(openApiOf(String(usd))) }),
    () => write({ services: [{ endpoint: '/api', amount: `$${usd}` }] }),
    () =>
      write({
        // A free route, which is none to judge.
        paidHttpResources: [
          { path: '/free', price: '$0' },
          { path: '/api', price: { amount: String(usd), currency: 'USD' } },
        ],
      }),
  ]
  return (forms[form % forms.length] ?? forms[0])?.() ?? {}
}

function openApiOf(amount: string) {
  const responses = { 402: { description: 'Payment required' } }
  const parameters = [{ name: 'q', in: 'query', required: true, example: 'today' }]
  const payment = { protocols: ['x402'], price: { mode: 'fixed', currency: 'USD', amount } }
  return {
    openapi: '3.1.0',
    info: { title: 'Market data', version: '1' },
    paths: { '/api': { get: { 'x-payment-info': payment, parameters, responses } } },
  }
}
