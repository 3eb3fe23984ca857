import type { Time } from '../domain/facts/facts.ts'
import type { EndpointDocument } from '../domain/facts/hostDocument.ts'
import type { Store } from '../ports/store.ts'
import { findNews, judgeFacts } from './judgeFacts.ts'
import { readJudgedRecords } from './readEndpoint.ts'
import { refold } from './refold.ts'

/**
 * Makes an endpoint's document anew from its looks, by the rules of this version, and writes it. The category price and
 * the time of the next probe stay. Returns undefined for an unknown endpoint.
 */
export async function rebuildEndpoint(
  store: Store,
  endpoint: string,
  now: Time,
): Promise<EndpointDocument | undefined> {
  const stored = await store.endpoint(endpoint)
  if (stored === undefined) return undefined
  const { carried, days } = await refold(store, endpoint)
  const [facts, host] = await Promise.all([
    store.endpointFacts(endpoint),
    store.hostFacts(new URL(endpoint).host),
  ])
  const at = Math.max(now, carried.lastAt)
  const judged = judgeFacts({
    endpoint,
    carried,
    facts,
    host,
    recordsOf: await readJudgedRecords(store, carried),
    categoryPrice: stored.state.categoryPrice ?? undefined,
    firstSeen: stored.state.firstSeen,
    now: at,
    random: 0,
  })
  const document = { state: { ...judged.state, nextProbeAt: stored.state.nextProbeAt }, carried }
  await store.putEndpoint(document, { facts: findNews(facts, judged, at), days })
  return document
}
