import type { Address, Chain } from '@touchstone402/transfers'
import {
  encodeFunctionData,
  hashMessage,
  isAddress,
  parseAbi,
  recoverMessageAddress,
  verifyMessage,
} from 'viem'

/** Reads contracts. */
export type ContractReader = Pick<Chain, 'request'>

/** Whether the key of an address signed a text by `personal_sign` (EIP-191). */
export async function isSignedBy(
  address: string,
  message: string,
  signature: `0x${string}`,
): Promise<boolean> {
  if (!isAddress(address, { strict: false })) return false
  try {
    return await verifyMessage({ address, message, signature })
  } catch {
    // Malformed signature.
    return false
  }
}

/** Returns the address whose key signed a text by `personal_sign`; undefined if the signature is malformed. */
export async function findSigner(message: string, signature: `0x${string}`): Promise<string | undefined> {
  try {
    return await recoverMessageAddress({ message, signature })
  } catch {
    return undefined
  }
}

/** Characters of a signature of 65 bytes in hex, with the 0x. */
const SIGNATURE_CHARS = 132

/**
 * Describes the fault of a signature without a recoverable signer.
 * @param otherWay what a contract does instead, which signs in another form
 */
export function describeBadSignature(signature: `0x${string}`, otherWay?: string): string {
  const fault =
    signature.length === SIGNATURE_CHARS
      ? 'it has 65 bytes, but is no valid signature: copy the whole output of personal_sign'
      : 'expected the 65 bytes of a signature by personal_sign'
  return otherWay === undefined ? fault : `${fault}; ${otherWay}`
}

const ABI = parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)'])
const ACCEPTED = `0x1626ba7e${'0'.repeat(56)}`
const DEADLINE_MS = 2000

/** Whether a contract accepts a signature of a text now (ERC-1271). False if the chain cannot be read. */
export async function isAcceptedBy(
  contracts: ContractReader,
  contract: Address,
  message: string,
  signature: `0x${string}`,
): Promise<boolean> {
  const args = [hashMessage(message), signature] as const
  const data = encodeFunctionData({ abi: ABI, functionName: 'isValidSignature', args })
  const params = [{ to: contract, data }, 'latest']
  const read = { purpose: 'receivers', signal: AbortSignal.timeout(DEADLINE_MS) } as const
  try {
    // An address without code answers "0x".
    return (await contracts.request({ method: 'eth_call', params, ...read })) === ACCEPTED
  } catch {
    return false
  }
}
