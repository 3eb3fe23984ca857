import { numberToHex, pad, toFunctionSelector } from 'viem'
import type { Address } from '../types.ts'
import type { LocalChain } from './anvil.ts'

const SELECTOR = toFunctionSelector('function isSanctioned(address)').slice(2)
/** Returns the stored word of the address for `isSanctioned(address)`; reverts for any other function. */
const CODE = `0x60003560e01c63${SELECTOR}1460145760006000fd5b6004355460005260206000f3`

/** Deploys a sanctions oracle that lists no address. */
export async function placeOracle(anvil: LocalChain, oracle: Address): Promise<void> {
  await anvil.rpc('anvil_setCode', [oracle, CODE])
}

/** Sets the word that the oracle answers for an address; 1 lists it. */
export async function setListed(
  anvil: LocalChain,
  oracle: Address,
  address: Address,
  word: number,
): Promise<void> {
  await anvil.rpc('anvil_setStorageAt', [oracle, pad(address, { size: 32 }), numberToHex(word, { size: 32 })])
}
