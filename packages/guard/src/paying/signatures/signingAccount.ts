import type { AssetDomain, Hex } from '../../types.ts'
import { AUTHORIZATION_FIELDS, AUTHORIZATION_TYPE, type Authorization } from './authorization.ts'
import { toTypes } from './typedFields.ts'

/**
 * An account that signs typed data, such as a viem local account.
 * @example
 * const account: SigningAccount = privateKeyToAccount(process.env.PRIVATE_KEY as `0x${string}`)
 */
export type SigningAccount = {
  readonly address: Hex
  signTypedData(message: TypedData): Promise<Hex>
}

/**
 * A message to sign. Source: EIP-712.
 * @example
 * const nameOf = ({ primaryType }: TypedData) => primaryType
 */
export type TypedData = {
  domain: Record<string, unknown>
  types: Record<string, unknown>
  primaryType: string
  message: Record<string, unknown>
}

/** Builds the typed data of an authorization. Source: EIP-3009. */
export function writeTypedData(domain: AssetDomain, authorization: Authorization) {
  return {
    domain: { ...domain },
    types: { [AUTHORIZATION_TYPE]: toTypes(AUTHORIZATION_FIELDS) },
    primaryType: AUTHORIZATION_TYPE,
    message: { ...authorization },
  }
}
