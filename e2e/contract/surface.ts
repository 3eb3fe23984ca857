import { checkRss } from './checkFeeds.ts'

/** A path outside the operations: its media types on success, and the check of its body. */
export type Surface = {
  readonly path: RegExp
  readonly statuses: readonly number[]
  readonly types: readonly string[]
  /** A schema name of the OpenAPI document, or a custom check. */
  readonly body?: string | ((body: string) => readonly string[])
}

const JSON_TYPE = 'application/json'
const HTML = 'text/html'
const BYTES = 'application/octet-stream'

const isObject = (body: string) => {
  const value: unknown = JSON.parse(body)
  return typeof value === 'object' && value !== null ? [] : ['no object']
}
// Source: shields.io, endpoint badge schema 1.
const isBadge = (body: string) => {
  const { schemaVersion, label, message, color } = JSON.parse(body) as Record<string, unknown>
  const isRight =
    schemaVersion === 1 && [label, message].every((text) => typeof text === 'string' && text !== '')
  return isRight && /^#[0-9a-f]{6}$/.test(String(color)) ? [] : ['no endpoint badge of schema 1']
}
const startsWith = (start: string) => (body: string) => (body.startsWith(start) ? [] : [`no ${start}`])
// Source: C2SP signed-note.
const isNote = (body: string) => (/\n\n(\u2014 \S+ \S+\n)+$/.test(body) ? [] : ['no signed note'])
const page = (path: RegExp, statuses: readonly number[] = [200]): Surface => ({
  path,
  statuses,
  types: [HTML],
  body: startsWith('<!doctype html><html'),
})
const document = (path: RegExp, type: string, body: Surface['body'], statuses = [200]): Surface => ({
  path,
  statuses,
  types: [type],
  ...(body !== undefined && { body }),
})

/** A path that takes a form or JSON, and shows it to a GET. */
const form = (path: RegExp): Surface[] => [
  page(path),
  document(path, JSON_TYPE, isObject, [200, 202, 303]),
  document(path, 'text/plain', undefined, [303]),
]

/** Every path besides the operations. Two entries with one path are its two representations. */
export const SURFACE: readonly Surface[] = [
  page(/^\/$/),
  document(/^\/(index\.json)?$/, JSON_TYPE, isObject),
  page(/^\/services\/[^/]+$/, [200, 404]),
  document(/^\/services\/[^/]+$/, JSON_TYPE, 'Profile'),
  ...form(/^\/scans$/),
  // The box leads to the page of what it knows.
  document(/^\/$/, 'text/plain', undefined, [303]),
  document(/^\/scans$/, 'text/plain', undefined, [301]),
  // Addresses of earlier versions.
  document(
    /^\/(changes|claims|disputes|incidents|rechecks|rotations|submissions|webhooks|webhooks\/remove)$/,
    'text/plain',
    undefined,
    [301, 308],
  ),
  page(/^\/owners\/[^/]+$/, [200, 404]),
  document(/^\/owners\/[^/]+$/, JSON_TYPE, 'Owner'),
  ...form(/^\/owners\/[^/]+\/(claims|announcements|replies|disputes|webhooks|webhooks\/remove)$/),
  page(/^\/scans\/[^/]+$/),
  document(/^\/scans\/[^/]+$/, JSON_TYPE, 'Scan'),
  document(/^\/services\/[^/]+\/feed\.rss$/, 'application/rss+xml', checkRss),
  page(/^\/(feed|reports|methodology|docs|docs\/reference(\/\w+)?|about)$/),
  page(/^\/tokens(\/[^/]+)?$/, [200, 404]),
  document(/^\/tokens(\.json)?$/, JSON_TYPE, 'TokenList'),
  document(/^\/tokens\/0x[^/.]+(\.json)?$/, JSON_TYPE, 'TokenPage'),
  document(/^\/tokens\/0x[^/.]+\.csv$/, 'text/csv', startsWith('hour,read,transfers,')),
  page(/^\/reports\/[^/]+(\/[^/.]+)?$/, [200, 404]),
  document(/^\/reports\/[^/]+\/[^/]+\.png$/, 'image/png', undefined),
  document(/^\/reports\/[^/]+\/[^/]+\.csv$/, 'text/csv', startsWith('date,')),
  page(/^\/(incidents|observations)\/[^/]+$/),
  document(/^\/incidents\/[^/]+$/, JSON_TYPE, 'IncidentEvidence'),
  document(/^\/observations\/[^/]+$/, JSON_TYPE, 'Observation'),
  document(/^\/(incidents|changes)\.rss$/, 'application/rss+xml', checkRss),
  document(/^\/badge\/[^/]+\.svg$/, 'image/svg+xml', startsWith('<svg')),
  document(/^\/badge\/[^/]+\.json$/, JSON_TYPE, isBadge),
  document(/^\/mcp\/verify$/, JSON_TYPE, 'McpVerification'),
  document(/^\/cards\/(services|incidents|scans)\/[^/]+\.png$/, 'image/png', undefined),
  document(/^\/llms\.txt$/, 'text/plain', startsWith('# ')),
  document(/^\/\.well-known\/security\.txt$/, 'text/plain', startsWith('Contact: ')),
  document(/^\/(openapi\.json|\.well-known\/(x402|jwks\.json)|healthz)$/, JSON_TYPE, isObject),
  document(/^\/readyz$/, JSON_TYPE, isObject, [200, 503]),
  document(/^\/map\/latest$/, 'text/plain', startsWith('touchstone map v1\n')),
  document(/^\/map\/[0-9]+(-[0-9]+)?$/, BYTES, undefined),
  page(/^\/log$/),
  document(/^\/log(\.json)?$/, JSON_TYPE, isObject),
  document(/^\/log\/leaves\/[0-9]+$/, JSON_TYPE, isObject),
  document(/^\/log\/checkpoint$/, 'text/plain', isNote),
  document(/^\/log\/openings\/.+$/, 'text/plain', undefined),
  document(/^\/log\/tile\/.+$/, BYTES, undefined),
  document(/^\/log\/(days|inputs)\/[^/]+\/[^/]+$/, 'application/x-ndjson', undefined),
  document(/^\/assets\/style\.css$/, 'text/css', undefined),
  document(/^\/assets\/page\.js$/, 'text/javascript', undefined),
  document(/^\/(assets\/icon\.svg|favicon\.(svg|ico))$/, 'image/svg+xml', startsWith('<svg')),
  document(/^\/robots\.txt$/, 'text/plain', startsWith('User-agent: ')),
  document(/^\/sitemap\.xml$/, 'application/xml', startsWith('<?xml')),
]
