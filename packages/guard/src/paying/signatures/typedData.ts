import { isRecord } from '@touchstone402/shared'
import type { Hex } from '../../types.ts'

/** Members of a signed struct, in order. */
export type StructFields = readonly { readonly name: string; readonly type: string }[]

/** Whether typed data declare a struct with exactly these members. */
export function hasFields(types: Record<string, unknown>, name: string, expected: StructFields): boolean {
  const fields = types[name]
  if (!Array.isArray(fields) || fields.length !== expected.length) return false
  return expected.every((member, index) => {
    const field: unknown = fields[index]
    return isRecord(field) && field.type === member.type && field.name === member.name
  })
}

/** Writes a struct as it is hashed. Source: EIP-712. */
export function encodeType(name: string, fields: StructFields): string {
  return `${name}(${fields.map((member) => `${member.type} ${member.name}`).join(',')})`
}

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
