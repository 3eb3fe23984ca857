import { encodeAbiParameters, type Hex, numberToHex, pad, size, slice, toFunctionSelector } from 'viem'
import type { Address } from '../types.ts'
import { type LocalChain, sendMined } from './anvil.ts'

/** A transfer to emit. */
export type Emission = { readonly from: Address; readonly to: Address; readonly value: bigint }

/**
 * A contract that emits `Transfer(from, to, value)` for every 96 bytes of calldata. A call whose size is 4 modulo 32
 * returns the words stored for its selector, or reverts. It keeps no balances, so that tests can emit any log.
 */
const CODE =
  // size & 31 == 4 ? read
  '0x601f3616600414605257' +
  // i = 0; while (i < size)
  '60005b36811015605057' +
  // calldatacopy(0, i + 64, 32); log3(0, 32, topic, calldata[i], calldata[i + 32]); i += 96
  '60208160400160003780602001358135' +
  '7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef' +
  '60206000a3606001600c565b00' +
  // read: base = selector << 8; return storage[base + 1 .. base + 3], storage[base] bytes of it
  '5b60003560e01c60081b80548015607e57' +
  '816001015460005281600201546020528160030154604052' +
  '6000f35b60006000fd'

const word = (value: bigint | Hex) =>
  typeof value === 'bigint' ? numberToHex(value, { size: 32 }) : pad(value, { size: 32 })

/** Sets the answer of a function: ABI-encoded, at most 96 bytes. */
export async function setAnswer(
  anvil: LocalChain,
  token: Address,
  signature: string,
  answer: Hex,
): Promise<void> {
  const base = BigInt(toFunctionSelector(signature)) << 8n
  const store = (slot: bigint, value: bigint | Hex) =>
    anvil.rpc('anvil_setStorageAt', [token, word(slot), word(value)])
  await store(base, BigInt(size(answer)))
  for (let at = 0; at < size(answer); at += 32)
    await store(base + 1n + BigInt(at / 32), slice(answer, at, Math.min(at + 32, size(answer))))
}

const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])

/** Deploys the contract at `token` as an ERC-20 with six decimals. */
export async function placeEventToken(anvil: LocalChain, token: Address): Promise<void> {
  await anvil.rpc('anvil_setCode', [token, CODE])
  await setAnswer(anvil, token, 'function name()', text('USD Coin'))
  await setAnswer(anvil, token, 'function symbol()', text('USDC'))
  await setAnswer(anvil, token, 'function decimals()', word(6n))
  await setAnswer(anvil, token, 'function totalSupply()', word(10n ** 15n))
  await setAnswer(anvil, token, 'function balanceOf(address)', word(0n))
  await setAnswer(anvil, token, 'function allowance(address, address)', word(0n))
}

/** Emits transfers in one transaction from anvil's first account and returns its hash once it is mined. */
export async function emit(anvil: LocalChain, token: Address, emissions: readonly Emission[]): Promise<Hex> {
  const [account] = (await anvil.rpc('eth_accounts')) as [Address]
  const data = `0x${emissions.map(({ from, to, value }) => `${word(from).slice(2)}${word(to).slice(2)}${word(value).slice(2)}`).join('')}`
  const gas = numberToHex(100_000 + 8_000 * emissions.length)
  return (await sendMined(anvil.rpc, { from: account, to: token, data, gas })).transactionHash
}
