import { isRecord } from '@touchstone402/shared'

/** Members of a signed struct, in order: type and name. */
export type StructFields = readonly (readonly [type: string, name: string])[]

/** Whether typed data declare a struct with exactly these members. */
export function hasFields(types: Record<string, unknown>, name: string, expected: StructFields): boolean {
  const fields = types[name]
  if (!Array.isArray(fields) || fields.length !== expected.length) return false
  return expected.every(([type, member], index) => {
    const field: unknown = fields[index]
    return isRecord(field) && field.type === type && field.name === member
  })
}

/** Writes the members of a struct as typed data do. */
export function toTypes(fields: StructFields) {
  return fields.map(([type, name]) => ({ type, name }))
}

/** Writes a struct as it is hashed. Source: EIP-712. */
export function encodeType(name: string, fields: StructFields): string {
  return `${name}(${fields.map(([type, member]) => `${type} ${member}`).join(',')})`
}
