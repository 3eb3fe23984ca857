import { checkJsonFeed, checkRss } from './checkFeeds.ts'

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

/** Every path besides the operations. Two entries with one path are its two representations. */
export const SURFACE: readonly Surface[] = [
  page(/^\/$/),
  document(/^\/$/, JSON_TYPE, isObject),
  page(/^\/services\/[^/]+$/, [200, 404]),
  document(/^\/services\/[^/]+$/, JSON_TYPE, 'Profile'),
  document(/^\/services\/[^/]+\/recheck$/, JSON_TYPE, isObject, [202]),
  document(/^\/services\/[^/]+\/recheck$/, 'text/plain', undefined, [303]),
  document(/^\/services\/[^/]+\/feed\.rss$/, 'application/rss+xml', checkRss),
  document(/^\/services\/[^/]+\/feed\.json$/, 'application/feed+json', checkJsonFeed),
  page(/^\/(incidents|changes|reports|methodology|docs|docs\/schemas\/[^/]+)$/),
  document(/^\/(incidents|changes)\.rss$/, 'application/rss+xml', checkRss),
  document(/^\/(incidents|changes)\.feed\.json$/, 'application/feed+json', checkJsonFeed),
  document(/^\/badge\/[^/]+\.svg$/, 'image/svg+xml', startsWith('<svg')),
  document(/^\/badge\/[^/]+\.json$/, JSON_TYPE, isBadge),
  document(/^\/llms\.txt$/, 'text/plain', startsWith('# ')),
  document(/^\/\.well-known\/security\.txt$/, 'text/plain', startsWith('Contact: ')),
  document(/^\/(openapi\.json|\.well-known\/(x402|jwks\.json)|healthz)$/, JSON_TYPE, isObject),
  document(/^\/readyz$/, JSON_TYPE, isObject, [200, 503]),
  document(/^\/assets\/style\.css$/, 'text/css', undefined),
  document(/^\/assets\/icon\.svg$/, 'image/svg+xml', startsWith('<svg')),
]
