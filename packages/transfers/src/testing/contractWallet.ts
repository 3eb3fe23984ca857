import { pad } from 'viem'
import type { Address } from '../types.ts'
import type { LocalChain } from './anvil.ts'

/** Accepts 65-byte signatures of the owner in slot 0 by `isValidSignature(bytes32,bytes)`, and answers 0 to others. */
const CODE = `0x${[
  '600435600052', // hash
  '60a43560f81c602052', // v
  '60406064604037', // r and s
  '602060006080600060015afa50', // ecrecover
  '60005160005414', // is it the owner?
  '631626ba7e60e01b02',
  '60005260206000f3',
].join('')}`

/** Deploys a wallet contract that answers for the signatures of an owner (ERC-1271). */
export async function placeWallet(anvil: LocalChain, wallet: Address, owner: Address): Promise<void> {
  await anvil.rpc('anvil_setCode', [wallet, CODE])
  await anvil.rpc('anvil_setStorageAt', [wallet, `0x${'0'.repeat(64)}`, pad(owner, { size: 32 })])
}
