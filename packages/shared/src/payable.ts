import type { Offer } from './x402.ts'

/** Why the guard cannot pay an official form of payment: the sentence of each reason. */
export const UNPAYABLE = {
  network: 'The guard pays on EVM networks only.',
  scheme: 'The guard pays by the exact scheme only.',
  gateway: 'The guard does not pay from a Circle Gateway balance.',
  method: 'The guard signs EIP-3009 transfers only.',
  flow: 'The guard pays only where settlement follows delivery.',
  asset: 'The guard pays in USDC, or in dollar tokens that its policy lists.',
} as const

/** Reason of {@link whyUnpayable}. */
export type Unpayable = keyof typeof UNPAYABLE

/** Name of the EIP-712 domain of Circle Gateway offers. Source: developers.circle.com/gateway/nanopayments. */
export const GATEWAY_NAME = 'GatewayWalletBatched'

/**
 * Returns why the guard cannot pay an offer of this form, or null if it can, as far as its policy allows.
 * @param paysAsset whether the guard takes the asset for dollars
 */
export function whyUnpayable(
  { network, scheme, extra }: Pick<Offer, 'network' | 'scheme' | 'extra'>,
  paysAsset: boolean,
): Unpayable | null {
  if (!network.startsWith('eip155:')) return 'network'
  if (scheme !== 'exact') return 'scheme'
  if (extra.name === GATEWAY_NAME) return 'gateway'
  if ((extra.assetTransferMethod ?? 'eip3009') !== 'eip3009') return 'method'
  if ((extra.paymentFlow ?? 'authorization') !== 'authorization') return 'flow'
  return paysAsset ? null : 'asset'
}

/** Typed data of a transfer that is signed off chain. Source: https://eips.ethereum.org/EIPS/eip-3009 */
export const TRANSFER_WITH_AUTHORIZATION = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
