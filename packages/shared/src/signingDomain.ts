import { isCanonicalUsdc } from './knownNetworks.ts'
import { findNetwork } from './networks.ts'
import { GATEWAY_NAME } from './payable.ts'
import type { Offer } from './x402.ts'

/** Why stock clients refuse to sign an offer, or sign what the token refuses, and one sentence on it. */
export type DomainFault = { readonly kind: 'domain_missing' | 'domain_mismatch'; readonly detail: string }

/** Version of the EIP-712 domain of Circle's USDC on every network. */
const USDC_VERSION = '2'

/**
 * Finds what is wrong with the signing domain that an exact EIP-3009 offer on an EVM network names in `extra`; null if
 * nothing is, or the offer is of another form. Stock clients sign for that domain and for no other.
 */
export function findDomainFault({ network, asset, scheme, extra }: Offer): DomainFault | null {
  const isTransfer =
    network.startsWith('eip155:') &&
    scheme === 'exact' &&
    (extra.assetTransferMethod ?? 'eip3009') === 'eip3009'
  if (!isTransfer) return null
  for (const field of ['name', 'version'] as const) {
    const value = extra[field]
    if (typeof value === 'string') continue
    const detail = `\`extra.${field}\` is ${value === undefined ? 'missing' : 'not a text'}.`
    return { kind: 'domain_missing', detail }
  }
  const usdcName = isCanonicalUsdc(network, asset) ? findNetwork(network)?.usdcName : undefined
  // Other tokens, and Circle Gateway, have domains of their own.
  if (usdcName === undefined || extra.name === GATEWAY_NAME) return null
  const kind = 'domain_mismatch'
  if (extra.name !== usdcName)
    return { kind, detail: `\`extra.name\` is not the name of the contract, which is "${usdcName}".` }
  return extra.version === USDC_VERSION
    ? null
    : { kind, detail: `\`extra.version\` is not "${USDC_VERSION}".` }
}
