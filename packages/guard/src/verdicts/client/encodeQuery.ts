import { type Operation, parseQuery } from '@touchstone402/shared'
import { TouchstoneClientError } from './clientError.ts'

/**
 * Encodes the query of an operation, validated by the rules of the service before anything is sent or paid.
 * URLs are sent in canonical form, without their own query.
 * @throws TouchstoneClientError `QUERY_INVALID`, naming each invalid parameter
 */
export function encodeQuery(
  operation: Operation,
  given: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const known = Object.keys(given).filter((name) => given[name] !== undefined)
  const unknown = known.filter((name) => !Object.hasOwn(operation.query, name))
  if (unknown.length > 0) throw invalid(`There is no parameter ${unknown.join(', ')}.`)
  const written = new URLSearchParams(known.map((name) => [name, writeValue(given[name])]))
  const parsed = parseQuery(operation.query, written.toString())
  if (!parsed.ok) throw invalid(`${parsed.errors.map(({ message }) => message).join('; ')}.`)
  const values: Readonly<Record<string, unknown>> = parsed.value
  // The service fills in the defaults of omitted parameters.
  return Object.fromEntries(known.map((name) => [name, writeValue(values[name])]))
}

const invalid = (details: string) => new TouchstoneClientError('QUERY_INVALID', { details })

const writeValue = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
