import { isCanonicalUsdc } from './knownNetworks.ts'
import { findNetwork } from './networks.ts'
import { GATEWAY_NAME } from './payable.ts'
import type { Offer } from './x402.ts'

/** Why stock clients refuse to sign an offer, or produce a signature that the token refuses. */
export type DomainFault = {
  readonly kind: 'domain_missing' | 'domain_mismatch'
  /** One sentence. */
  readonly detail: string
  /** The wrong field of `extra`, and its expected value. */
  readonly field: 'name' | 'version'
  readonly want: string
}

/** Version of the EIP-712 domain of Circle's USDC on every network. */
const USDC_VERSION = '2'

/**
 * Finds what is wrong with the signing domain that an exact EIP-3009 offer on an EVM network names in `extra`; null if
 * nothing is, or the offer is of another form. Stock clients sign for that domain and for no other.
 */
export function findDomainFault({
  network,
  asset,
  scheme,
  extra,
}: Pick<Offer, 'network' | 'asset' | 'scheme' | 'extra'>): DomainFault | null {
  const isTransfer =
    network.startsWith('eip155:') &&
    scheme === 'exact' &&
    (extra.assetTransferMethod ?? 'eip3009') === 'eip3009'
  if (!isTransfer) return null
  const usdcName = isCanonicalUsdc(network, asset) ? findNetwork(network)?.usdcName : undefined
  const wanted = { name: usdcName ?? "the name of the token's EIP-712 domain", version: USDC_VERSION }
  for (const field of ['name', 'version'] as const) {
    const value = extra[field]
    if (typeof value === 'string') continue
    const detail = `\`extra.${field}\` is ${value === undefined ? 'missing' : 'not a text'}.`
    return { kind: 'domain_missing', detail, field, want: wanted[field] }
  }
  // Other tokens, and Circle Gateway, have their own domains.
  if (usdcName === undefined || extra.name === GATEWAY_NAME) return null
  const kind = 'domain_mismatch'
  if (extra.name !== usdcName) {
    const detail = `\`extra.name\` is not the name of the contract, which is "${usdcName}".`
    return { kind, detail, field: 'name', want: usdcName }
  }
  if (extra.version === USDC_VERSION) return null
  const detail = `\`extra.version\` is not "${USDC_VERSION}".`
  return { kind, detail, field: 'version', want: USDC_VERSION }
}
