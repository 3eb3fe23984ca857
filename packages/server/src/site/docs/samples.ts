import type { QueryParameter } from '@touchstone402/shared'
import { parameterExample } from '../../http/schemas/parameterSchema.ts'
import type { ListedOperation } from '../operations.ts'

/** An operation with what a sample call needs. */
type Sampled = Pick<ListedOperation, 'id' | 'path' | 'query' | 'priceUsd'> & {
  readonly sampleQuery?: Readonly<Record<string, string>>
}

/** Returns the call of an operation by curl. An unpaid call of a paid one shows the terms, in the headers. */
export function curlCall(operation: Sampled, publicUrl: string): string {
  const url = publicUrl + operation.path
  const isPaid = operation.priceUsd !== null
  const pairs = sampleQuery(operation).map(([name, value]) => `  --data-urlencode '${name}=${value}'`)
  const head = `curl${isPaid ? ' -i' : ''}`
  if (pairs.length === 0) return `${head} ${url}`
  return [`${head} -G ${url}`, ...pairs].join(' \\\n')
}

/** Returns the call of an operation by the typed client of the guard. */
export function clientCall(operation: Sampled): string {
  const fields = sampleQuery(operation).map(
    ([name, value]) => `${name}: ${isNumber(operation.query[name]) ? value : `'${value}'`}`,
  )
  const query = fields.length === 0 ? '' : `{ ${fields.join(', ')} }`
  return `const answer = await touchstone.${operation.id}(${query})`
}

const isNumber = (parameter: QueryParameter | undefined) => parameter?.kind === 'integer'

/** Returns the required parameters, and those that the contract samples. */
function sampleQuery({ query, sampleQuery = {} }: Sampled): [string, string][] {
  return Object.entries(query).flatMap(([name, parameter]): [string, string][] => {
    const sampled = sampleQuery[name]
    if (sampled !== undefined) return [[name, sampled]]
    return parameter.required ? [[name, String(parameterExample(parameter))]] : []
  })
}
