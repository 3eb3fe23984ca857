import type { Profile, StatusFeed, TrustCatalog } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { CategoryPrice, HostDocument } from '../facts/hostDocument.ts'
import { toTimestamp } from '../facts/times.ts'
import { median } from '../judge/prices.ts'
import type { Breathe } from './breathe.ts'
import { describeEcosystem } from './ecosystem.ts'
import { describeProfile, judgeHost } from './profile.ts'
import { type Tally, tallyHosts } from './tally.ts'

/** The working services, best first, with the risk map of all that are tracked. */
export async function describeCatalog(
  hosts: readonly HostDocument[],
  now: Time,
  breathe: Breathe,
): Promise<TrustCatalog> {
  const { risks } = await tallyHosts(hosts, now, breathe)
  const services: Profile[] = []
  for (const host of hosts) {
    const pause = breathe()
    if (pause !== undefined) await pause
    const { verdict } = judgeHost(host.endpoints, now)
    if (verdict === 'safe' || verdict === 'caution') services.push(describeProfile(host, now))
  }
  // Equal ones stay in the order of their names.
  services.sort((a, b) => (b.trustScore ?? 0) - (a.trustScore ?? 0))
  return { asOf: toTimestamp(now), services, riskMap: risks }
}

/** The state of the ecosystem: what `/status.json` answers, but for the dataset on sale. */
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

/** Median price of the live endpoints of each category. */
export function priceCategories(hosts: Iterable<HostDocument>): Map<string, CategoryPrice> {
  const prices = new Map<string, number[]>()
  for (const { endpoints } of hosts) {
    for (const { category, priceUsd, status } of endpoints) {
      if (category === null || priceUsd === null || status !== 'live') continue
      const known = prices.get(category)
      if (known === undefined) prices.set(category, [priceUsd])
      else known.push(priceUsd)
    }
  }
  return new Map(
    [...prices].map(([category, values]) => [category, { medianUsd: median(values), count: values.length }]),
  )
}
