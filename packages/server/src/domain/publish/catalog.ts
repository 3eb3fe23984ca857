import type { Profile, StatusFeed, TrustCatalog } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import type { CategoryPrice, EndpointState, HostDocument } from '../facts/hostDocument.ts'
import { toTimestamp } from '../facts/times.ts'
import { isCategory, median } from '../judge/prices.ts'
import { LIMITS } from '../judge/spec.ts'
import type { Breathe } from './breathe.ts'
import { rankServices } from './dataset.ts'
import { describeEcosystem } from './ecosystem.ts'
import { describeProfile } from './profile.ts'
import { type Tally, tallyHosts } from './tally.ts'

/** Builds the catalog: working services except those to avoid, best first, and the risk map of all tracked ones. */
export async function describeCatalog(
  hosts: readonly HostDocument[],
  now: Time,
  breathe: Breathe,
): Promise<TrustCatalog> {
  const { risks } = await tallyHosts(hosts, now, breathe)
  const ranked = await rankServices(hosts, { all: false, limit: hosts.length }, now, breathe)
  const services: Profile[] = []
  for (const host of ranked.services) {
    const pause = breathe()
    if (pause !== undefined) await pause
    const profile = describeProfile(host, now)
    if (profile.verdict === 'avoid') break
    services.push(profile)
  }
  return { asOf: toTimestamp(now), services, riskMap: risks }
}

/** Builds the body of `/status.json`, without the dataset on sale. */
export function describeStatus(tally: Tally): Omit<StatusFeed, 'dataset'> {
  const { byLevel, byFlag } = tally.risks
  return {
    asOf: toTimestamp(tally.now),
    ecosystem: describeEcosystem(tally.statuses),
    catalogAudit: tally.directories,
    security: { riskByLevel: byLevel, flagCounts: byFlag },
    receiverStability: { ...tally.stabilities },
    receiverOnchain: { ...tally.receivers },
    topHealthy: [...tally.topHealthy],
    topProviders: [...tally.topProviders],
  }
}

/**
 * Returns the median price of live endpoints by category, and of all of them under null. A category that holds more than
 * {@link LIMITS.categoryMaxSharePct} of all endpoints has none.
 */
export function priceCategories(hosts: Iterable<HostDocument>): Map<string | null, CategoryPrice> {
  const all = [...hosts].flatMap(({ endpoints }) => endpoints)
  const prices = new Map<string | null, CategoryPrice>()
  const priced = priceOf(all)
  if (priced.count > 0) prices.set(null, { ...priced, isWhole: true })
  for (const [category, group] of groupBy(all, (endpoint) => endpoint.category)) {
    const isReal = isCategory(category) && group.length <= (all.length * LIMITS.categoryMaxSharePct) / 100
    const price = priceOf(group)
    if (isReal && price.count > 0) prices.set(category, price)
  }
  return prices
}

function priceOf(endpoints: readonly EndpointState[]): CategoryPrice {
  const prices = endpoints.flatMap(({ priceUsd, status }) =>
    priceUsd === null || status !== 'live' ? [] : [priceUsd],
  )
  return { medianUsd: median(prices), count: prices.length }
}
