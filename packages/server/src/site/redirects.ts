import type { Page, PageAnswer } from '../http/deps.ts'
import { badField } from '../http/readFields.ts'
import { readHostOf } from './hostName.ts'
import { feedPath, ownerPath } from './paths.ts'
import { readParameter } from './readParameter.ts'

/** An address that moved. */
type Redirect = {
  readonly from: string
  readonly to: (params: Readonly<Record<string, string>>, search: string) => string
  /** Where a POST goes, by its fields. @default POST is 405 */
  readonly post?: (fields: ReadonlyMap<string, string>) => string
}

/** Returns the path of the owner page of a host, which an endpoint may name. Returns undefined without a valid host. */
function findOwnerPath(name = ''): string | undefined {
  const host = readHostOf(name)
  return host && ownerPath(host)
}

const ofOwner = (from: string, field: 'host' | 'endpoint', part: string): Redirect => ({
  from,
  to: (_, search) => {
    const path = findOwnerPath(readParameter(search, field))
    if (path === undefined) return '/'
    const asked = { endpoint: readParameter(search, 'endpoint'), about: readParameter(search, 'incident') }
    const kept = Object.entries(asked).flatMap(([name, value]) => (value ? [[name, value]] : []))
    return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`
  },
  post: (fields) => {
    const path = findOwnerPath(fields.get(field))
    if (path === undefined) throw badField(field, 'malformed', `${field}: expected a host or a URL`)
    return path + part
  },
})

const profilePart = (part: string) => (params: Readonly<Record<string, string>>) =>
  `/services/${encodeURIComponent(params.host ?? '')}${part}`

/** Addresses of earlier versions. A page of the same path goes first. */
export const REDIRECTS: readonly Redirect[] = [
  { from: '/tokens', to: () => '/docs' },
  { from: '/docs/schemas/:name', to: () => '/docs/reference' },
  { from: '/incidents', to: () => feedPath({ kind: 'incidents' }) },
  { from: '/changes', to: () => feedPath({ kind: 'changes' }) },
  { from: '/incidents.feed.json', to: () => '/incidents.rss' },
  { from: '/changes.feed.json', to: () => '/changes.rss' },
  { from: '/services/:host/feed.json', to: profilePart('/feed.rss') },
  { from: '/reports/:date', to: () => '/reports' },
  { from: '/services/:host/recheck', to: ({ host }) => findOwnerPath(host) ?? '/' },
  { from: '/submissions', to: () => '/', post: () => '/scans' },
  {
    from: '/rechecks',
    to: (_, search) => findOwnerPath(readParameter(search, 'host')) ?? '/',
    post: () => '/scans',
  },
  ofOwner('/claims', 'host', '/claims'),
  ofOwner('/disputes', 'host', '/disputes'),
  ofOwner('/webhooks', 'host', '/webhooks'),
  ofOwner('/webhooks/remove', 'host', '/webhooks/remove'),
  ofOwner('/rotations', 'endpoint', '/announcements'),
]

/** Creates the redirects: 301 for GET, 308 for POST. */
export function createRedirects(redirects: readonly Redirect[] = REDIRECTS): Page[] {
  return redirects.map(({ from, to, post }) => ({
    path: from,
    handler: ({ params, search }) => moved(301, to(params, search)),
    ...(post && { post: ({ fields }) => ({ ...moved(308, post(fields)), maxAgeSeconds: 0 }) }),
  }))
}

const moved = (status: 301 | 308, location: string): PageAnswer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: '',
  location,
})
