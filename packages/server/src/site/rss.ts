import type { Change } from '@touchstone402/shared'
import type { PageAnswer } from '../http/deps.ts'
import {
  CHANGE_NAMES,
  type FeedEvent,
  INCIDENT_NAMES,
  isIncident,
  timeOf,
} from './components/incidentList.tsx'
import { formatUsd } from './format.ts'
import { incidentPath, profilePath } from './paths.ts'
import { cleanText, showAddress } from './text.ts'

const RSS = 'application/rss+xml'

/** An RSS feed. */
type Feed = {
  readonly title: string
  readonly description: string
  /** Path of the feed itself. */
  readonly path: string
  /** Path of the page that shows the same. */
  readonly page: string
  /** Newest first. */
  readonly events: readonly FeedEvent[]
}

/** Writes a feed as RSS 2.0. Source: RSS 2.0 specification; RFC 4287 for `atom:link`. */
export function writeRss({ title, description, path, page, events }: Feed, publicUrl: string): PageAnswer {
  const [newest] = events
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">',
    '<channel>',
    tag('title', title),
    tag('link', publicUrl + page),
    tag('description', description),
    `<atom:link href="${escapeXml(publicUrl + path)}" rel="self" type="${RSS}"/>`,
    '<language>en</language>',
    ...(newest === undefined ? [] : [tag('lastBuildDate', rfc822(timeOf(newest)))]),
    ...events.map((event) => writeItem(event, publicUrl)),
    '</channel>',
    '</rss>',
  ]
  return { type: `${RSS}; charset=utf-8`, body: `${lines.join('\n')}\n`, maxAgeSeconds: 300 }
}

/** Writes an incident or a change. A resolved incident keeps its id, so readers see an update. */
function writeItem(event: FeedEvent, publicUrl: string): string {
  const { title, text, path, tags } = describeEvent(event)
  return [
    '<item>',
    tag('title', title),
    tag('link', publicUrl + path),
    `<guid isPermaLink="false">${escapeXml(event.id)}</guid>`,
    tag('pubDate', rfc822(timeOf(event))),
    ...tags.map((name) => tag('category', name)),
    tag('description', text),
    '</item>',
  ].join('\n')
}

function describeEvent(event: FeedEvent) {
  const host = cleanText(event.host, 80)
  if (isIncident(event)) {
    const { id, kind, severity, status, summary, proofUrl } = event
    return {
      title: `${INCIDENT_NAMES[kind]}: ${host}${status === 'resolved' ? ' (resolved)' : ''}`,
      text: `${cleanText(summary, 600)} Proof: ${cleanText(proofUrl, 300)}`,
      path: incidentPath(id),
      tags: ['incident', kind, severity, status],
    }
  }
  const { kind, endpoint, before, after } = event
  const difference =
    before === null || after === null
      ? CHANGE_NAMES[kind].toLowerCase()
      : `${showValue(kind, before)} → ${showValue(kind, after)}`
  return {
    title: `${CHANGE_NAMES[kind]}: ${host}`,
    text: `${cleanText(endpoint, 300)}: ${difference}`,
    path: profilePath(event.host),
    tags: ['change', kind],
  }
}

/** A value of a change as pages show it: prices in dollars, addresses checksummed. */
function showValue(kind: Change['kind'], value: string): string {
  if (kind === 'price_jump') return formatUsd(Number(value))
  return cleanText(value, 200).split(' ').map(showAddress).join(', ')
}

const tag = (name: string, text: string) => `<${name}>${escapeXml(text)}</${name}>`

// `toUTCString` writes an HTTP date, which RFC 822 as amended by RFC 1123 allows.
const rfc822 = (at: string) => new Date(at).toUTCString()

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for XML elements and quoted attributes. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
