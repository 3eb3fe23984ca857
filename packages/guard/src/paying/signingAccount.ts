import type { AssetDomain, Hex } from '../types.ts'
import { AUTHORIZATION_FIELDS, AUTHORIZATION_TYPE, type Authorization } from './authorization.ts'

/**
 * An account that signs typed data, such as a viem local account.
 * @example
 * const account: SigningAccount = privateKeyToAccount(process.env.PRIVATE_KEY as `0x${string}`)
 */
export type SigningAccount = {
  readonly address: Hex
  signTypedData(message: {
    domain: Record<string, unknown>
    types: Record<string, unknown>
    primaryType: string
    message: Record<string, unknown>
  }): Promise<Hex>
}

/** Builds the typed data of an authorization. Source: EIP-3009. */
export function writeTypedData(domain: AssetDomain, authorization: Authorization) {
  return {
    domain: { ...domain },
    types: { [AUTHORIZATION_TYPE]: AUTHORIZATION_FIELDS.map(([type, name]) => ({ type, name })) },
    primaryType: AUTHORIZATION_TYPE,
    message: { ...authorization },
  }
}
