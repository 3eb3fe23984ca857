import { findNetwork, sameAddress, USDC_DECIMALS } from '@touchstone402/shared'
import type { AssetDomain } from '../types.ts'
import type { Policy } from './policySchema.ts'

/** An asset that the policy pays with. */
export type AllowedAsset = { domain: AssetDomain; decimals: number }

/** Finds an asset that the policy allows: the network's canonical USDC or a listed token. */
export function findAllowedAsset(policy: Policy, network: string, address: string): AllowedAsset | undefined {
  const chainId = Number(network.slice('eip155:'.length))
  const known = findNetwork(network)
  if (known !== undefined && sameAddress(known.usdc, address)) {
    return {
      domain: { name: known.usdcName, version: '2', chainId, verifyingContract: known.usdc },
      decimals: USDC_DECIMALS,
    }
  }
  const listed = policy.assets.find(
    (asset) => asset.network === network && sameAddress(asset.address, address),
  )
  if (listed === undefined) return undefined
  const { name, version, decimals } = listed
  return { domain: { name, version, chainId, verifyingContract: listed.address }, decimals }
}

/** Converts an amount of a dollar token to millionths of a dollar, rounded up so that dust is never free. */
export function toUsdMicros(amount: bigint, decimals: number): bigint {
  if (decimals <= USDC_DECIMALS) return amount * 10n ** BigInt(USDC_DECIMALS - decimals)
  const divisor = 10n ** BigInt(decimals - USDC_DECIMALS)
  return (amount + divisor - 1n) / divisor
}
