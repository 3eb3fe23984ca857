import {
  type AccuracyCounts,
  BANDS,
  type Band,
  type DeliveryCounts,
  registeredDomainOf,
  VERDICTS,
  type VerdictCode,
} from '@touchstone402/shared'
import type { ProbedOutcome } from './outcome.ts'

/** A verdict that stood on one endpoint. */
export type Standing = {
  /** Canonical URL. */
  readonly endpoint: string
  readonly verdict: VerdictCode
  readonly band: Band | null
}

/** A verdict, and what a period after it showed. */
export type CountedOutcome = Standing &
  ProbedOutcome & {
    /** Whether the verdict was Avoid at the end of the period. */
    readonly avoidAfter: boolean
  }

/** A verdict, and whether each purchase that settled in a period after it was delivered; null without one. */
export type CountedDelivery = Standing & { readonly delivered: boolean | null }

/** Whether the endpoint was live and kept to the signed terms; null if it was not measured. */
export const hasHeld = ({ live, sameTerms }: ProbedOutcome): boolean | null =>
  live === null ? null : live && sameTerms !== false

type Totals = { -readonly [K in keyof AccuracyCounts]: AccuracyCounts[K] }
type Domain = { measured: number; held: number }

/** Counts outcomes by verdict and band, one at a time, so that memory depends on the groups and domains alone. */
export function createOutcomeCount() {
  const groups = new Map<string, { readonly totals: Totals; readonly domains: Map<string, Domain> }>()
  const seen = new Set<string>()
  return {
    /** Adds an outcome; a second one of an endpoint is ignored. */
    add(outcome: CountedOutcome): void {
      const { endpoint, verdict, band, live, sameTerms, avoidAfter } = outcome
      if (seen.has(endpoint)) return
      seen.add(endpoint)
      const key = groupKey(outcome)
      const group = groups.get(key) ?? { totals: noOutcomes(verdict, band), domains: new Map() }
      groups.set(key, group)
      const { totals, domains } = group
      const held = hasHeld(outcome)
      totals.endpoints++
      if (live === true) totals.live++
      if (sameTerms === true) totals.sameTerms++
      if (avoidAfter) totals.avoidAfter++
      const name = registeredDomainOf(new URL(endpoint).host)
      const domain = domains.get(name) ?? { measured: 0, held: 0 }
      domains.set(name, domain)
      if (held === null) return
      totals.measured++
      domain.measured++
      if (!held) return
      totals.held++
      domain.held++
    },
    /** Returns the counts, best first. */
    counts(): AccuracyCounts[] {
      return [...groups.values()].map(finish).sort(byRank)
    },
  }
}

function finish({ totals, domains }: { totals: Totals; domains: ReadonlyMap<string, Domain> }) {
  const measured = [...domains.values()].filter((domain) => domain.measured > 0)
  const shares = measured.reduce((sum, domain) => sum + domain.held / domain.measured, 0)
  return {
    ...totals,
    domains: domains.size,
    domainsMeasured: measured.length,
    domainsHeld: Math.round(shares * 1e6) / 1e6,
  }
}

const noOutcomes = (verdict: VerdictCode, band: Band | null): Totals => ({
  verdict,
  band,
  endpoints: 0,
  domains: 0,
  measured: 0,
  live: 0,
  sameTerms: 0,
  held: 0,
  avoidAfter: 0,
  domainsMeasured: 0,
  domainsHeld: 0,
})

/** Counts purchases by verdict and band. Endpoints without one count nowhere. */
export function countDeliveries(samples: Iterable<CountedDelivery>): DeliveryCounts[] {
  const groups = new Map<
    string,
    { verdict: VerdictCode; band: Band | null; bought: number; delivered: number }
  >()
  for (const { verdict, band, delivered } of samples) {
    if (delivered === null) continue
    const key = groupKey({ verdict, band })
    const counts = groups.get(key) ?? { verdict, band, bought: 0, delivered: 0 }
    groups.set(key, counts)
    counts.bought++
    if (delivered) counts.delivered++
  }
  return [...groups.values()].sort(byRank)
}

type Group = Pick<Standing, 'verdict' | 'band'>

/** Key of a verdict and band. */
export const groupKey = ({ verdict, band }: Group): string => `${verdict} ${band}`

const rank = ({ verdict, band }: Group) =>
  VERDICTS.indexOf(verdict) * 10 + (band === null ? BANDS.length : BANDS.indexOf(band))

/** Orders groups: best verdict and band first. */
export const byRank = (a: Group, b: Group): number => rank(a) - rank(b)
