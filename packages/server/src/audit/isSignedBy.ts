import { isAddress, verifyMessage } from 'viem'

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
