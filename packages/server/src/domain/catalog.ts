import type { RiskMap, Status, StatusFeed, TrustCatalog } from '@touchstone402/shared'
import { countUp, describeEcosystem } from './ecosystem.ts'
import type { Time } from './facts.ts'
import type { EndpointState, HostDocument } from './hostDocument.ts'
import { type CategoryPrice, median } from './prices.ts'
import { describeProfile } from './profile.ts'
import { currentVerdict, toTimestamp } from './verdict.ts'

/** How many rows the short lists hold. */
const TOP = 10

/** The working services, best first, with the risk map of all that are tracked. */
export function describeCatalog(hosts: readonly HostDocument[], now: Time): TrustCatalog {
  const services = hosts
    .map((host) => describeProfile(host, now))
    .filter(({ verdict }) => verdict === 'safe' || verdict === 'caution')
    .sort((a, b) => (b.trustScore ?? 0) - (a.trustScore ?? 0) || a.host.localeCompare(b.host))
  return { asOf: toTimestamp(now), services, riskMap: mapRisks(hosts, now) }
}

function mapRisks(hosts: readonly HostDocument[], now: Time): RiskMap {
  const endpoints = hosts.flatMap((host) => host.endpoints)
  return {
    byLevel: countBy(endpoints, ({ riskLevel }) => [riskLevel]),
    byFlag: countBy(endpoints, ({ flags }) => flags),
    byVerdict: countBy(endpoints, (endpoint) => [currentVerdict(endpoint, now).verdict]),
    byDirectory: countBy(endpoints, ({ listedBy }) => listedBy),
  }
}

/** The state of the ecosystem: what `/status.json` answers, but for the dataset on sale. */
export function describeStatus(hosts: readonly HostDocument[], now: Time): Omit<StatusFeed, 'dataset'> {
  const endpoints = hosts.flatMap((host) => host.endpoints)
  const live = endpoints.filter((endpoint) => currentVerdict(endpoint, now).status === 'live')
  const counts = new Map<Status, number>()
  for (const endpoint of endpoints) countUp(counts, currentVerdict(endpoint, now).status)
  const risks = mapRisks(hosts, now)
  return {
    asOf: toTimestamp(now),
    ecosystem: describeEcosystem(counts),
    catalogAudit: auditDirectories(endpoints, now),
    security: { riskByLevel: risks.byLevel, flagCounts: risks.byFlag },
    receiverStability: countBy(live, ({ receiverStability }) => [receiverStability ?? 'blank']),
    receiverOnchain: countBy(live, ({ receiverProfile }) => [receiverProfile ?? 'blank']),
    topHealthy: hosts
      .flatMap((host) => describeProfile(host, now).endpoints)
      .filter(({ verdict }) => verdict === 'safe')
      .sort((a, b) => (b.trust ?? 0) - (a.trust ?? 0) || a.endpoint.localeCompare(b.endpoint))
      .slice(0, TOP),
    topProviders: hosts
      .map((host) => {
        const { trustScore } = describeProfile(host, now)
        return {
          host: host.host,
          live: host.endpoints.filter((endpoint) => currentVerdict(endpoint, now).status === 'live').length,
          trustScore,
        }
      })
      .filter((provider) => provider.live > 0)
      .sort(
        (a, b) =>
          b.live - a.live || (b.trustScore ?? 0) - (a.trustScore ?? 0) || a.host.localeCompare(b.host),
      )
      .slice(0, TOP),
  }
}

/** What each directory claims against what was found. */
export function auditDirectories(endpoints: readonly EndpointState[], now: Time): StatusFeed['catalogAudit'] {
  const directories = [...new Set(endpoints.flatMap(({ listedBy }) => listedBy))].sort()
  return directories.map((directory) => {
    const listed = endpoints.filter(({ listedBy }) => listedBy.includes(directory))
    const statuses = listed.map((endpoint) => currentVerdict(endpoint, now).status)
    const measured = statuses.filter((status) => status !== 'unmeasured')
    const working = measured.filter((status) => status === 'live').length
    return {
      directory,
      listed: listed.length,
      // A directory that states no health claims by listing.
      claimedHealthy: listed.filter(
        ({ listings }) =>
          listings.find((listing) => listing.directory === directory)?.claims.healthy !== false,
      ).length,
      working,
      accuracyPct: measured.length === 0 ? null : Math.round((1000 * working) / measured.length) / 10,
    }
  })
}

/** How often each key occurs. */
export function countBy<T>(
  items: readonly T[],
  keysOf: (item: T) => readonly string[],
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) for (const key of keysOf(item)) counts[key] = (counts[key] ?? 0) + 1
  return counts
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
