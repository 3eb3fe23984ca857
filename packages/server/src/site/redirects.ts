import type { Page } from '../http/deps.ts'
import { badField } from '../http/readFields.ts'
import { readHostOf } from './hostName.ts'
import { FEED_PATHS, feedPath, hostFeedPath, ownerPath, SCANS_PATH } from './paths.ts'
import { readParameter } from './readParameter.ts'

/** Returns a field of a form, or a segment or parameter of an address. */
type Read = (name: string) => string | undefined

/** An address that moved. */
type Redirect = {
  readonly from: string
  readonly to: (read: Read) => string
  /** Where a POST goes. @default POST is 405 */
  readonly post?: (read: Read) => string
}

/** Leads to the owner page of the host that a field names by itself or by a URL, or to one of its forms. */
const toOwner =
  (field: string, form = '') =>
  (read: Read): string => {
    const host = readHostOf(read(field) ?? '')
    if (host === undefined && form !== '') throw badField(field, 'malformed', 'expected a host or a URL')
    if (host === undefined) return '/'
    if (form !== '') return `${ownerPath(host)}/${form}`
    const [endpoint, about] = [read('endpoint'), read('incident')]
    return ownerPath(host, endpoint ? { endpoint } : about ? { about } : undefined)
  }

/** A form of the owner page that had a separate address. */
const ownerForm = (from: string, form: string, field = 'host'): Redirect => {
  return { from, to: toOwner(field), post: toOwner(field, form) }
}

/** Addresses of earlier versions. A page of the same path goes first. */
export const REDIRECTS: readonly Redirect[] = [
  { from: '/docs/schemas/:name', to: () => '/docs/reference' },
  { from: '/incidents', to: () => feedPath({ kind: 'incidents' }) },
  { from: '/changes', to: () => feedPath({ kind: 'changes' }) },
  { from: '/incidents.feed.json', to: () => FEED_PATHS.incidents },
  { from: '/changes.feed.json', to: () => FEED_PATHS.changes },
  { from: '/services/:host/feed.json', to: (read) => hostFeedPath(read('host') ?? '') },
  { from: '/submissions', to: () => '/', post: () => SCANS_PATH },
  { from: '/services/:host/recheck', to: toOwner('host') },
  { from: '/rechecks', to: toOwner('host'), post: () => SCANS_PATH },
  ownerForm('/claims', 'claims'),
  ownerForm('/disputes', 'disputes'),
  ownerForm('/webhooks', 'webhooks'),
  ownerForm('/webhooks/remove', 'webhooks/remove'),
  ownerForm('/rotations', 'announcements', 'endpoint'),
]

/** Creates the redirects: 301 for GET, 308 for POST. */
export function createRedirects(redirects: readonly Redirect[] = REDIRECTS): Page[] {
  return redirects.map(({ from, to, post }) => ({
    path: from,
    handler: ({ params, search }) => {
      const location = to((name) => params[name] ?? readParameter(search, name))
      return { ...EMPTY, status: 301, location }
    },
    ...(post && {
      post: ({ fields }) => {
        const location = post((name) => fields.get(name))
        return { ...EMPTY, status: 308, location, maxAgeSeconds: 0 }
      },
    }),
  }))
}

const EMPTY = { type: 'text/plain; charset=utf-8', body: '' }
