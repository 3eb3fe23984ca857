import { type Chain, isHash, padAddress } from './chain.ts'

// keccak256('balanceOf(address)'). Source: ERC-20.
const BALANCE_OF = '0x70a08231'

/** Reads what an address holds of a token, in its smallest unit. @throws Error if the RPC endpoint fails */
export async function readBalance({ call }: Chain, asset: string, holder: string): Promise<bigint> {
  const balance = await call('eth_call', [{ to: asset, data: BALANCE_OF + padAddress(holder) }, 'latest'])
  if (!isHash(balance)) throw new Error('The balance is no number.')
  return BigInt(balance)
}
