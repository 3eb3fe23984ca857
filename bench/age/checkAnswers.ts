import { isDeepStrictEqual } from 'node:util'
import { readDays, readObservations, recomputeHost, type Store } from '@touchstone402/server/testing'
import { VerdictSchema } from '@touchstone402/shared'
import { hostOf, PROBES_PER_DAY, urlOf } from '../../e2e/support/history.ts'

/** The fields of a verdict of the running service that depend on the endpoint's state alone. */
export type Said = Readonly<Record<(typeof FIELDS)[number], unknown>>

const FIELDS = ['status', 'verdict', 'score', 'riskLevel', 'priceUsd', 'receiverStability'] as const

/** Asks the service for the verdict of an endpoint. @throws if it is not known */
export async function askVerdict(origin: string, endpoint: number): Promise<{ at: string; said: Said }> {
  const response = await fetch(`${origin}/verify?endpoint=${encodeURIComponent(urlOf(endpoint))}`)
  const verdict = VerdictSchema.parse(await response.json())
  if (!verdict.known) throw new Error(`${urlOf(endpoint)} is not known`)
  return { at: verdict.checkedAt ?? '', said: pick({ score: null, ...verdict }) }
}

const pick = (from: Said): Said =>
  Object.fromEntries(FIELDS.map((field) => [field, from[field] ?? null])) as Said

/**
 * Compares an endpoint's state, and the answer of the service, with the recomputed one, and counts its probes and days.
 * Returns what differs.
 */
export async function findWrong(
  store: Store,
  endpoint: number,
  days: number,
  heard: { readonly at: string; readonly said: Said },
): Promise<string[]> {
  const url = urlOf(endpoint)
  const recomputed = await recomputeHost(store, hostOf(endpoint))
  const own = recomputed?.find((one) => one.endpoint === url)
  if (own === undefined) return [`${url} is missing`]
  const wrong = own.differences.map(({ field }) => field)
  // Skip endpoints that were judged again since the request.
  if (Date.parse(heard.at) === own.state.lastChecked && !isDeepStrictEqual(heard.said, pick(own.state)))
    wrong.push('verdict')
  const probes = await readObservations(store, url)
  // The oldest are dropped while the service runs.
  if (probes.length < (days - 1) * PROBES_PER_DAY) wrong.push('observations')
  const counted = (await readDays(store, url)).reduce(
    (sum, { up, down, notMeasured }) => sum + up + down + notMeasured,
    0,
  )
  if (counted < probes.length) wrong.push('days')
  return wrong.map((what) => `${url}: ${what}`)
}
