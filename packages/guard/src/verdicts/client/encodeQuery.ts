import { type Operation, parseQuery } from '@touchstone402/shared'
import { TouchstoneClientError } from './clientError.ts'

/**
 * Writes the query string of an operation, without its `?`. It goes by the rules of the service, so that a bad query is
 * found before anything is sent or paid. URLs are sent in their canonical form: their own query stays here.
 * @throws TouchstoneClientError `QUERY_INVALID`, naming each parameter that is wrong
 */
export function encodeQuery(operation: Operation, given: Readonly<Record<string, unknown>>): string {
  const known = Object.keys(given).filter((name) => given[name] !== undefined)
  const unknown = known.filter((name) => !Object.hasOwn(operation.query, name))
  if (unknown.length > 0) throw invalid(`There is no parameter ${unknown.join(', ')}.`)
  const written = new URLSearchParams(known.map((name) => [name, writeValue(given[name])]))
  const parsed = parseQuery(operation.query, written.toString())
  if (!parsed.ok) throw invalid(`${parsed.errors.map(({ message }) => message).join('; ')}.`)
  const values: Readonly<Record<string, unknown>> = parsed.value
  // What was left out stays out: its default is the service's to fill in.
  return new URLSearchParams(known.map((name) => [name, writeValue(values[name])])).toString()
}

const invalid = (details: string) => new TouchstoneClientError('QUERY_INVALID', { details })

const writeValue = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
