import type { Row } from '../lib/fields.ts'
import { isUsable, type Steps } from './usableSample.ts'

/** Values of formats that are reserved for documentation: RFC 2606, 3849, 5737 and 9562. They name nobody. */
const BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-01-15',
  'date-time': '2026-01-15T12:00:00Z',
  email: 'user@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.24',
  ipv6: '2001:db8::24',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6',
}
/** The same by the name of a parameter without a format, and an address that EIP-55 has as its example. */
const BY_NAME: readonly (readonly [name: RegExp, value: string])[] = [
  [/e-?mail/i, 'user@example.com'],
  [/phone|^tel$/i, '+12025550123'],
  [/^ip$|ip_?addr/i, '192.0.2.24'],
  [/ur[il]$|link|website/i, 'https://example.com/'],
  [/domain|host/i, 'example.com'],
  [/address|wallet|account|token|contract/i, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
]
const TEXTS = ['lorem ipsum', 'lorem', 'ab', 'AB', '12']

/**
 * Generates values of a parameter that fit its schema and name nobody. None where the schema lists its values, or where
 * what fits it is not known.
 */
export function generateValues(name: string, schema: Row, steps: Steps): readonly string[] {
  if (schema.enum !== undefined || schema.const !== undefined) return []
  const usable = listCandidates(name, schema).filter((value) => isUsable(value, schema, steps))
  const most = schema.type === 'boolean' ? 2 : 1
  return usable.slice(0, most).map(String)
}

function listCandidates(name: string, schema: Row): readonly unknown[] {
  switch (schema.type) {
    case 'boolean':
      return [true, false]
    case 'integer':
    case 'number':
      return listNumbers(schema)
    case 'string': {
      const { format } = schema
      // Nobody knows what fits a format that is not listed.
      if (typeof format === 'string') return Object.hasOwn(BY_FORMAT, format) ? [BY_FORMAT[format]] : []
      return [...BY_NAME.filter(([pattern]) => pattern.test(name)).map(([, value]) => value), ...TEXTS]
    }
    default:
      return []
  }
}

/** Lists numbers within the bounds, in their middle where there are two. */
function listNumbers({ minimum, maximum }: Row): readonly number[] {
  if (typeof minimum !== 'number' || typeof maximum !== 'number')
    return [7, typeof minimum === 'number' ? Math.ceil(minimum) + 1 : 0, 1]
  return [Math.floor((minimum + maximum) / 2), minimum]
}
