import { type RiskMap, STATUSES, type Status, type StatusFeed, type VerdictCode } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { medianOf } from './categoryPrice.ts'
import { readCountName } from './hostIndex.ts'

/** Counts over all endpoints. */
export type Tally = {
  readonly now: Time
  readonly hosts: number
  /** Number of hosts by verdict. */
  readonly hostVerdicts: Readonly<Partial<Record<VerdictCode, number>>>
  /** Number of hosts with a live endpoint. */
  readonly workingHosts: number
  readonly statuses: ReadonlyMap<Status, number>
  readonly risks: Readonly<RiskMap>
  /** Of live endpoints. */
  readonly stabilities: Readonly<Record<string, number>>
  /** Of live endpoints. */
  readonly receivers: Readonly<Record<string, number>>
  /** Of live endpoints with a known price, in dollars; null without any. */
  readonly medianPriceUsd: number | null
  /** Claims of each directory compared with measurements, sorted by name. */
  readonly directories: StatusFeed['catalogAudit']
  /** Safe endpoints of safe hosts, best first. */
  readonly topHealthy: StatusFeed['topHealthy']
  /** Safe hosts, those with the most live endpoints first. */
  readonly topProviders: StatusFeed['topProviders']
}

/** Prefixes of the totals that a tally is made of. */
export const TALLY_PREFIXES = [
  'hosts/',
  'status/',
  'level/',
  'verdict/',
  'flag/',
  'directory/',
  'stability/',
  'receiver/',
  'price/',
] as const

/** Input of a tally. */
export type TallyInput = Pick<Tally, 'now' | 'topHealthy' | 'topProviders'> & {
  /** By name, see `hostIndex.ts`; those of {@link TALLY_PREFIXES}. */
  readonly totals: ReadonlyMap<string, number>
}

/** Makes a tally of totals. */
export function describeTally({ totals, now, topHealthy, topProviders }: TallyInput): Tally {
  const named = [...totals].map(([name, count]) => ({ path: readCountName(name), count }))
  /** Counts by the last part of the names that begin with some parts and have one more. */
  const pick = (...start: readonly string[]): ReadonlyMap<string, number> =>
    new Map(
      named.flatMap(({ path, count }) =>
        path.length === start.length + 1 && start.every((part, place) => path[place] === part)
          ? [[path.at(-1) ?? '', count]]
          : [],
      ),
    )
  const hosts = pick('hosts')
  const statuses = pick('status')
  const directories = [
    ...new Set(named.flatMap(({ path }) => (path[0] === 'directory' ? [path[1] ?? ''] : []))),
  ]
  const audits = directories.sort().map((directory) => describeAudit(directory, pick('directory', directory)))
  const prices = pick('price')
  return {
    now,
    hosts: hosts.get('all') ?? 0,
    hostVerdicts: toRecord(pick('hosts', 'verdict')),
    workingHosts: hosts.get('working') ?? 0,
    statuses: new Map(STATUSES.flatMap((status) => toEntry(status, statuses.get(status)))),
    risks: {
      byLevel: toRecord(pick('level')),
      byFlag: toRecord(pick('flag')),
      byVerdict: toRecord(pick('verdict')),
      byDirectory: Object.fromEntries(audits.map(({ directory, listed }) => [directory, listed])),
    },
    stabilities: toRecord(pick('stability')),
    receivers: toRecord(pick('receiver')),
    medianPriceUsd: prices.size === 0 ? null : medianOf(prices),
    directories: audits,
    topHealthy,
    topProviders,
  }
}

function describeAudit(
  directory: string,
  counts: ReadonlyMap<string, number>,
): StatusFeed['catalogAudit'][number] {
  const count = (name: string) => counts.get(name) ?? 0
  const [measured, working] = [count('measured'), count('working')]
  const accuracyPct = measured === 0 ? null : Math.round((1000 * working) / measured) / 10
  return { directory, listed: count('listed'), claimedHealthy: count('claimedHealthy'), working, accuracyPct }
}

// A record made of entries is safe for any name, such as `__proto__`.
const toRecord = (counts: ReadonlyMap<string, number>): Record<string, number> => Object.fromEntries(counts)

const toEntry = <K>(key: K, count: number | undefined): [K, number][] =>
  count === undefined ? [] : [[key, count]]
