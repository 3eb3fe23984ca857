import { isDeepStrictEqual } from 'node:util'
import {
  carry,
  createMemoryStore,
  describeProfile,
  type EndpointDocument,
  type Observation,
  readHistory,
  recomputeHost,
  type Store,
  toRow,
  type Written,
} from '@touchstone402/server/parts'
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
 * Compares an endpoint with a plain recomputation: its document with one that is folded and judged from all looks ever
 * made, dropped ones included; its history with one of these looks; its host's profile and what the service said with
 * the recomputed state. Returns what differs.
 */
export async function findWrong(
  store: Store,
  endpoint: number,
  history: History,
  heard: { readonly at: string; readonly said: Said } | undefined,
): Promise<string[]> {
  const url = urlOf(endpoint)
  const document = await store.endpoint(url)
  const { host, derivedAt } = document?.state ?? { host: '', derivedAt: 0 }
  const summary = await store.summary(host)
  const recomputed = await recomputeHost(store, host)
  const own = recomputed?.find((one) => one.endpoint === url)
  if (document === undefined || summary === undefined || recomputed === undefined || own === undefined)
    return [`${url} is missing`]
  const looks = await allLooks(store, endpoint, history)
  const { carried, days } = carry(undefined, looks)
  const plain = await copyPlainly(store, { state: own.state, carried }, looks, days)
  const wrong = own.differences.map(({ field }) => field)
  const check = (name: string, isRight: boolean) => {
    if (!isRight) wrong.push(name)
  }
  check('carried', isEqual(carried, document.carried))
  const [told, wanted] = [
    await readHistory(store, document.state, derivedAt),
    await readHistory(plain, own.state, derivedAt),
  ]
  check('history', isEqual(told.history, wanted.history))
  check('days', isEqual(told.days, wanted.days))
  const rows = recomputed.map(({ state }) => toRow(state))
  const [profile, plainProfile] = [summary, { ...summary, endpoints: rows }].map((one) =>
    describeProfile(one, derivedAt),
  )
  check('profile', isEqual(profile, plainProfile))
  // An endpoint that was judged again since it was asked says nothing.
  if (heard !== undefined && Date.parse(heard.at) === own.state.lastChecked)
    check('verdict', isEqual(heard.said, pick(own.state)))
  return wrong.map((what) => `${url}: ${what}`)
}

/** Returns the looks that were made for the history, and those that the crawl added. */
async function allLooks(store: Store, endpoint: number, { days, now }: History): Promise<Observation[]> {
  const looks = looksOf(endpoint, days * LOOKS_PER_DAY, now)
  const end = looks.at(-1)?.at ?? 0
  for await (const look of store.looks(urlOf(endpoint), { from: end + 1 })) looks.push(look)
  return looks
}

/** Copies an endpoint to a store that keeps everything. */
async function copyPlainly(
  store: Store,
  document: EndpointDocument,
  looks: readonly Observation[],
  days: Written['days'],
): Promise<Store> {
  const plain = createMemoryStore()
  const { state } = document
  const { changes, incidents } = await store.endpointFacts(state.endpoint)
  const receivers = new Map(
    looks.flatMap(({ offers }) =>
      offers.map(({ network, payTo }) => [`${network} ${payTo}`, { network, payTo }] as const),
    ),
  )
  for (const { network, payTo } of receivers.values())
    await plain.append(await store.receiver(network, payTo))
  await plain.append([
    ...changes.map((change) => ({ kind: 'change' as const, id: change.id, at: state.derivedAt, change })),
    ...incidents.map((incident) => ({
      kind: 'incident' as const,
      id: incident.id,
      at: state.derivedAt,
      incident,
    })),
  ])
  await plain.putEndpoint(document, { facts: looks, days })
  return plain
}

/** As JSON, in which a field without a value is missing. */
const isEqual = (a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))
