import { type Economy, USDC } from '@touchstone402/economy'
import { VISIBLE_PAYLOAD } from './hostileSellers.ts'
import type { Site } from './openSite.ts'

/** A page to inspect. */
export type Visit = { readonly path: string; readonly name: string; readonly wantedStatus?: number }

/** One seller of each kind: safe, new, caution, avoid, dark, invalid, opted out, hostile. */
const FEW = [
  ...['honest-v2', 'announced', 'overpriced', 'swapped', 'cloaker', 'dead', 'no-terms', 'opted-out'],
  ...['hostile-markup', 'hostile-turned', 'hostile-long'],
]

const encode = encodeURIComponent

/** Lists the pages of a site, by what its machine-readable answers name. */
export async function listVisits({ economy, origin }: Site, allProfiles: boolean): Promise<Visit[]> {
  const { sellers } = economy
  const shown = Object.values(sellers).filter(({ id }) => allProfiles || FEW.includes(id))
  const urlOf = (id: string) => encode(sellers[id]?.url ?? '')
  const hostOf = (id: string) => encode(sellers[id]?.host ?? '')
  return [
    { path: '/', name: 'home' },
    { path: `/?q=${urlOf('honest-v2')}`, name: 'search-endpoint' },
    { path: `/?q=${hostOf('swapped')}`, name: 'search-host' },
    { path: '/?q=nobody.example', name: 'search-unknown' },
    { path: `/?q=${hostOf('opted-out')}`, name: 'search-opted-out' },
    { path: `/?q=${encode(VISIBLE_PAYLOAD)}`, name: 'search-hostile' },
    ...['avoid', 'caution', 'unknown', 'safe'].map((verdict) => ({
      path: `/?verdict=${verdict}`,
      name: `list-${verdict}`,
    })),
    { path: '/?flag=payto_changed&sort=name', name: 'list-filtered' },
    { path: '/?verdict=safe&flag=payto_changed', name: 'list-empty' },
    { path: '/?sort=best&page=2', name: 'list-page-2' },
    { path: '/feed', name: 'feed' },
    { path: '/feed?kind=incidents', name: 'feed-incidents' },
    { path: '/reports', name: 'reports' },
    { path: '/tokens', name: 'tokens' },
    { path: `/tokens/${USDC}`, name: 'token' },
    { path: `/tokens/0x${'1'.repeat(40)}`, name: 'token-not-covered' },
    { path: '/tokens/nonsense', name: 'token-unknown', wantedStatus: 404 },
    ...(await listReports(origin)),
    { path: '/methodology', name: 'methodology' },
    { path: '/docs', name: 'docs' },
    { path: '/docs/reference', name: 'reference' },
    { path: '/docs/reference/trust', name: 'reference-trust' },
    { path: '/log', name: 'log' },
    { path: '/about', name: 'about' },
    ...(await listRecords(origin)),
    ...['swapped', 'honest-v2', 'post-only', 'dead'].map((id) => ({
      path: `/owners/${hostOf(id)}`,
      name: `owner-${id}`,
    })),
    { path: '/owners/nobody.example', name: 'owner-unlisted' },
    { path: '/services/nobody.example', name: 'unknown', wantedStatus: 404 },
    { path: `/services/${encode(VISIBLE_PAYLOAD)}`, name: 'unknown-hostile', wantedStatus: 404 },
    { path: '/verify?endpoint=nonsense', name: 'error-400', wantedStatus: 400 },
    { path: `/trust?endpoint=${urlOf('honest-v2')}`, name: 'error-402', wantedStatus: 402 },
    { path: '/no/such/page', name: 'error-404', wantedStatus: 404 },
    ...listProfiles(shown),
  ]
}

function listProfiles(sellers: readonly Economy['sellers'][string][]): Visit[] {
  return sellers.flatMap(({ id, host, url }) => [
    { path: `/services/${encode(host)}`, name: `profile-${id}` },
    ...(id === 'honest-v2'
      ? [{ path: `/services/${encode(host)}?endpoint=${encode(url)}`, name: `endpoint-${id}` }]
      : []),
  ])
}

/** Lists the pages of the latest report and of two of its series. */
async function listReports(origin: string): Promise<Visit[]> {
  const { latest } = (await (await fetch(`${origin}/reports.json`)).json()) as {
    latest: { date: string } | null
  }
  if (latest === null) return []
  const path = `/reports/${latest.date}`
  return [
    { path, name: 'report-of-date' },
    ...['verdicts', 'directories'].map((id) => ({ path: `${path}/${id}`, name: `report-${id}` })),
  ]
}

/** Lists the pages of incidents, and of the first observation that one cites. */
async function listRecords(origin: string): Promise<Visit[]> {
  const answer = await fetch(`${origin}/incidents.json`)
  const { incidents } = (await answer.json()) as { incidents: { id: string; observations: string[] }[] }
  return [
    ...incidents.map(({ id }, index) => ({ path: `/incidents/${id}`, name: `incident-${index}` })),
    { path: `/observations/${findCited(incidents)}`, name: 'observation' },
  ]
}

/** Paths of documents that are no pages. */
export function listDocuments({ economy: { sellers } }: Site): string[] {
  const host = encode(sellers['honest-v2']?.host ?? '')
  return [
    ...[`/badge/${host}.svg`, `/badge/${host}.json`, '/badge/nobody.example.svg'],
    ...['/tokens.json', `/tokens/${USDC}.json`, `/tokens/${USDC}.csv`],
    ...[`/services/${host}/feed.rss`, `/services/${host}.json`],
    ...['/incidents.rss', '/changes.rss', '/.well-known/security.txt', '/.well-known/x402'],
    ...['/robots.txt', '/sitemap.xml', '/favicon.ico', '/favicon.svg', '/assets/icon.svg', '/llms.txt'],
    ...['/openapi.json', '/.well-known/jwks.json', '/healthz', '/readyz', '/log/checkpoint', '/map/latest'],
  ]
}

/** The first probe that an incident cites; one of a delivery cites its purchase. */
export const findCited = (incidents: readonly { readonly observations: readonly string[] }[]) =>
  incidents.flatMap(({ observations }) => observations).find((id) => id.startsWith('obs_'))
