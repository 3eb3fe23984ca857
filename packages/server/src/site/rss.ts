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
export type RssFeed = {
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
export function writeRss({ title, description, path, page, events }: RssFeed, publicUrl: string): PageAnswer {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">',
    '<channel>',
    tag('title', title),
    tag('link', publicUrl + page),
    tag('description', description),
    `<atom:link href="${escapeXml(publicUrl + path)}" rel="self" type="${RSS}"/>`,
    '<language>en</language>',
    ...events.flatMap((event) => writeItem(event, publicUrl)),
    '</channel>',
    '</rss>',
  ]
  return { type: `${RSS}; charset=utf-8`, body: `${lines.join('\n')}\n`, maxAgeSeconds: 300 }
}

/** Writes an incident or a change. A resolved incident keeps its id, so readers see an update. */
function writeItem(event: FeedEvent, publicUrl: string): string[] {
  const name = isIncident(event) ? INCIDENT_NAMES[event.kind] : CHANGE_NAMES[event.kind]
  const isResolved = isIncident(event) && event.status === 'resolved'
  return [
    '<item>',
    tag('title', `${name}: ${cleanText(event.host, 80)}${isResolved ? ' (resolved)' : ''}`),
    tag('link', publicUrl + (isIncident(event) ? incidentPath(event.id) : profilePath(event.host))),
    `<guid isPermaLink="false">${escapeXml(event.id)}</guid>`,
    // An HTTP date, which RFC 822 as amended by RFC 1123 allows.
    tag('pubDate', new Date(timeOf(event)).toUTCString()),
    tag('category', event.kind),
    tag('description', describe(event)),
    '</item>',
  ]
}

/** Describes a measurement: prices in dollars, addresses checksummed, as pages show them. */
function describe(event: FeedEvent): string {
  if (isIncident(event)) return `${cleanText(event.summary, 600)} Proof: ${cleanText(event.proofUrl, 300)}`
  const { kind, endpoint, before, after } = event
  const show = (value: string) =>
    kind === 'price_jump'
      ? formatUsd(Number(value))
      : cleanText(value, 200).split(' ').map(showAddress).join(', ')
  const difference = before !== null && after !== null ? `: ${show(before)} → ${show(after)}` : ''
  return `${cleanText(endpoint, 300)}${difference}`
}

const tag = (name: string, text: string) => `<${name}>${escapeXml(text)}</${name}>`

/** Escapes text for XML elements and quoted attributes. */
export const escapeXml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
