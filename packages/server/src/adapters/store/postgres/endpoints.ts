import type { PoolClient } from 'pg'
import { fromKey, toKey } from './keyText.ts'
import { prepared } from './prepared.ts'

/** An endpoint and its host. */
export type Place = { readonly endpoint: string; readonly host: string }

/** Numbers of endpoints, by which looks and days name them. */
export type Numbers = ReadonlyMap<string, number>

/** Returns the numbers of endpoints; those without one get one. */
export async function numberEndpoints(client: PoolClient, places: readonly Place[]): Promise<Numbers> {
  const wanted = new Map(places.map(({ endpoint, host }) => [endpoint, host]))
  const numbers = new Map<string, number>()
  const find = async () => {
    const missing = [...wanted.keys()].filter((endpoint) => !numbers.has(endpoint))
    if (missing.length === 0) return missing
    const { rows } = await client.query<{ endpoint: string; number: number }>(
      prepared('SELECT endpoint, number FROM endpoint WHERE endpoint = ANY ($1)', [missing.map(toKey)]),
    )
    for (const { endpoint, number } of rows) numbers.set(fromKey(endpoint), number)
    return missing.filter((endpoint) => !numbers.has(endpoint))
  }
  const unknown = await find()
  if (unknown.length === 0) return numbers
  // In order, so that two processes that number the same endpoints do not deadlock.
  await client.query(
    `INSERT INTO endpoint (endpoint, host)
     SELECT endpoint, host FROM unnest($1::text[], $2::text[]) AS row (endpoint, host) ORDER BY endpoint COLLATE "C"
     ON CONFLICT (endpoint) DO NOTHING`,
    [unknown.map(toKey), unknown.map((endpoint) => toKey(wanted.get(endpoint) ?? ''))],
  )
  await find()
  return numbers
}

/** Returns the number of an endpoint. @throws if `numberEndpoints` was not asked for it */
export function numberOf(numbers: Numbers, endpoint: string): number {
  const number = numbers.get(endpoint)
  if (number === undefined) throw new Error(`${endpoint} has no number`)
  return number
}
