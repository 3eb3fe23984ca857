import { encodeBase64Json, writeChallenge } from '@touchstone402/shared'
import type { PrivateKeyAccount } from 'viem/accounts'
import { START } from './names.ts'
import type { Entry } from './types.ts'

// Source: OFFER_TYPES and the domain of @x402/extensions 2.27. The chain of the domain is 1 on all networks.
const DOMAIN = { name: 'x402 offer', version: '1', chainId: 1 } as const
const TYPES = {
  Offer: [
    { name: 'version', type: 'uint256' },
    { name: 'resourceUrl', type: 'string' },
    { name: 'scheme', type: 'string' },
    { name: 'network', type: 'string' },
    { name: 'asset', type: 'string' },
    { name: 'payTo', type: 'string' },
    { name: 'amount', type: 'string' },
    { name: 'validUntil', type: 'uint256' },
  ],
} as const

const LIFETIME_SECONDS = 3600

/**
 * Signs every offer with one key for an hour, as the offer-receipt extension does.
 * @param now Unix time in ms
 */
export async function signOffers(
  account: PrivateKeyAccount,
  resourceUrl: string,
  entries: readonly Entry[],
  now: number,
): Promise<Record<string, unknown>> {
  const validUntil = Math.floor(now / 1000) + LIFETIME_SECONDS
  const offers = entries.map(
    async ({ network, asset, payTo, amountAtomic, scheme = 'exact' }, acceptIndex) => {
      const payload = {
        version: 1,
        resourceUrl,
        scheme,
        network,
        asset,
        payTo,
        amount: amountAtomic,
        validUntil,
      }
      const message = { ...payload, version: 1n, validUntil: BigInt(validUntil) }
      const typed = { domain: DOMAIN, types: TYPES, primaryType: 'Offer', message } as const
      return {
        format: 'eip712',
        acceptIndex,
        payload,
        signature: await account.signTypedData(typed),
      }
    },
  )
  return { 'offer-receipt': { info: { offers: await Promise.all(offers) } } }
}

/** Returns the `WWW-Authenticate` header that asks by MPP for the payment of the first offer. */
export function mppHeader(host: string, [offer]: readonly Entry[]): string {
  if (offer === undefined) throw new Error('an MPP challenge needs an offer')
  const { network, asset, payTo, amountAtomic } = offer
  const chainId = Number(network.slice('eip155:'.length))
  const methodDetails = { chainId, credentialTypes: ['authorization'], decimals: 6 }
  return writeChallenge({
    id: host,
    realm: host,
    method: 'evm',
    intent: 'charge',
    request: encodeBase64Json({ amount: amountAtomic, currency: asset, recipient: payTo, methodDetails }),
    expires: new Date(START + 40 * 86_400_000).toISOString(),
  })
}
