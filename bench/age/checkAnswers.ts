import { isDeepStrictEqual } from 'node:util'
import { carry, type Observation, recomputeHost, type Store } from '@touchstone402/server/parts'
import { VerdictSchema } from '@touchstone402/shared'
import { LOOKS_PER_DAY, looksOf, urlOf } from '../support/history.ts'
import type { History } from './fill.ts'

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
 * Compares an endpoint with a recomputation: what its document carries with what folding all looks ever made gives,
 * dropped ones included; its state, and what the service said, with the recomputed one. Returns what differs.
 */
export async function findWrong(
  store: Store,
  endpoint: number,
  history: History,
  heard: { readonly at: string; readonly said: Said } | undefined,
): Promise<string[]> {
  const url = urlOf(endpoint)
  const document = await store.endpoint(url)
  const recomputed = await recomputeHost(store, document?.state.host ?? '')
  const own = recomputed?.find((one) => one.endpoint === url)
  if (document === undefined || own === undefined) return [`${url} is missing`]
  const wrong = own.differences.map(({ field }) => field)
  const { carried } = carry(undefined, await allLooks(store, endpoint, history))
  if (!isEqual(carried, document.carried)) wrong.push('carried')
  // An endpoint that was judged again since it was asked says nothing.
  const isSame = heard !== undefined && Date.parse(heard.at) === own.state.lastChecked
  if (isSame && !isEqual(heard.said, pick(own.state))) wrong.push('verdict')
  return wrong.map((what) => `${url}: ${what}`)
}

/** Returns the looks that were made for the history, and those that the crawl added. */
async function allLooks(store: Store, endpoint: number, { days, now }: History): Promise<Observation[]> {
  const looks = looksOf(endpoint, days * LOOKS_PER_DAY, now)
  const end = looks.at(-1)?.at ?? 0
  for await (const look of store.looks(urlOf(endpoint), { from: end + 1 })) looks.push(look)
  return looks
}

/** As JSON, in which a field without a value is missing. */
const isEqual = (a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))
