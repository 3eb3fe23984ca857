import type { LookupFunction } from 'node:net'
import {
  createDirectory,
  createProber,
  DIRECTORY_PACE,
  type EndpointState,
  type Observation,
  readObservations,
  readState,
} from '@touchstone402/server/testing'
import { asObject, canonicalizeUrl } from '@touchstone402/shared'
import { seededRandom } from '@touchstone402/shared/testing'
import { crawlDays } from '../simulation/world/crawlDays.ts'
import type { OfficialForm } from './officialForms.ts'
import { openSellers } from './openSellers.ts'
import type { FieldListing, Row } from './readListings.ts'
import { serveListing } from './serveListing.ts'

const START = Date.UTC(2026, 2, 18)
const CONTACT = 'https://touchstone.test'

/** A listed endpoint after the crawl. The state is undefined if it was not probed. */
export type Found = { readonly state: EndpointState | undefined; readonly probes: readonly Observation[] }

/** Result of a crawl, in the order of listings and forms. */
export type Crawled = {
  readonly listings: readonly Found[]
  readonly forms: readonly Found[]
  /** Entries that the directory adapter skipped, by reason. */
  readonly skipped: Readonly<Record<string, number>>
}

const loopback: LookupFunction = (_name, _options, answer) =>
  answer(null, [{ address: '127.0.0.1', family: 4 }])

/**
 * Serves listings and forms on loopback, lists them in a directory there, and crawls them with the real adapter, prober,
 * decoder and judge over simulated days. Every receiver has had a few payments.
 */
export async function crawlField(
  listings: readonly FieldListing[],
  forms: readonly OfficialForm[],
  days: number,
): Promise<Crawled> {
  const sellers = await openSellers()
  const urls = listings.map(({ resource }) => sellers.place(resource))
  for (const [index, listing] of listings.entries()) {
    const url = urls[index] ?? ''
    sellers.serve(url, serveListing(listing, url))
  }
  const formUrls = forms.map(({ host }, index) =>
    sellers.place(`http://${host ?? `form-${index}.example`}/paid`),
  )
  const documented: string[] = []
  for (const [index, { challenge, wellKnown }] of forms.entries()) {
    const url = formUrls[index] ?? ''
    sellers.serve(url, () => challenge)
    if (wellKnown === undefined) continue
    const { origin } = new URL(url)
    documented.push(origin)
    sellers.serve(`${origin}/.well-known/x402`, () => ({ status: 200, headers: {}, body: wellKnown }))
  }
  const items = [
    ...listings.map(({ row }, index) => placeRow(row, urls[index] ?? '')),
    ...formUrls.map((resource) => ({ resource, type: 'http', x402Version: 2 })),
  ]
  const directoryUrl = sellers.place('http://127.0.0.1/')
  sellers.serve(`${directoryUrl}discovery/resources`, ({ url }) => {
    const [offset, limit] = ['offset', 'limit'].map((name) => Number(url.searchParams.get(name)))
    const page = items.slice(offset, (offset ?? 0) + (limit ?? 0))
    return { status: 200, headers: {}, body: { items: page, pagination: { total: items.length } } }
  })
  try {
    const { findAll, skipped } = await crawl(directoryUrl, { port: sellers.port, days, documented })
    return { listings: await findAll(urls), forms: await findAll(formUrls), skipped }
  } finally {
    await sellers.stop()
  }
}

/** Returns the row with another URL; the shape stays. */
function placeRow(row: Row, url: string): Row {
  if (!('resource' in row)) return 'url' in row ? { ...row, url } : row
  const resource = asObject(row.resource)
  return { ...row, resource: resource === undefined ? url : { ...resource, url } }
}

async function crawl(
  directoryUrl: string,
  { port, days, documented }: { port: number; days: number; documented: readonly string[] },
) {
  const source = { kind: 'bazaar', name: 'bazaar', location: directoryUrl } as const
  const { store, skipped } = await crawlDays({
    start: START,
    days,
    documented,
    random: seededRandom(402),
    proberAt: () =>
      createProber({ contact: CONTACT, lookup: loopback, allowPrivate: [`127.0.0.1:${port}`], ca: [] }),
    directoriesAt: () => [createDirectory(source, { contact: CONTACT, pace: DIRECTORY_PACE })],
  })
  const find = async (url: string): Promise<Found> => {
    if (!URL.canParse(url) || !/^https?:/.test(url)) return { state: undefined, probes: [] }
    const { key } = canonicalizeUrl(url)
    return { state: (await readState(store, key))?.state, probes: await readObservations(store, key) }
  }
  return {
    findAll: (urls: readonly string[]) => Promise.all(urls.map(find)),
    skipped,
  }
}
