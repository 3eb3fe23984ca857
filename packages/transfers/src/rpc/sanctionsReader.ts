import { encodeFunctionData, parseAbi } from 'viem'
import { ChainError } from '../chainError.ts'
import type { Address, ReadOptions, TransferSource } from '../types.ts'
import { toQuantity } from './rpcReply.ts'

const ABI = parseAbi(['function isSanctioned(address) view returns (bool)'])
const ANSWERS: ReadonlyMap<unknown, boolean> = new Map([
  [`0x${'0'.repeat(64)}`, false],
  [`0x${'0'.repeat(63)}1`, true],
])

/** Asks a sanctions oracle about an address. Returns null for any answer but a single word of 0 or 1. */
export async function readSanctions(
  source: Pick<TransferSource, 'request'>,
  oracle: Address,
  address: Address,
  block: number,
  read?: ReadOptions,
): Promise<boolean | null> {
  const data = encodeFunctionData({ abi: ABI, functionName: 'isSanctioned', args: [address] })
  try {
    // An address without code answers "0x".
    const answer = await source.request('eth_call', [{ to: oracle, data }, toQuantity(block)], read)
    return ANSWERS.get(answer) ?? null
  } catch (error) {
    if (error instanceof ChainError) return null
    throw error
  }
}
