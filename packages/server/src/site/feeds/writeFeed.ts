import type { PageAnswer } from '../../http/deps.ts'
import type { Feed, FeedItem } from './feedItems.ts'

const RSS = 'application/rss+xml'

/** Writes a feed as RSS 2.0. Source: RSS 2.0 specification; RFC 4287 for `atom:link`. */
export function writeRss(feed: Feed, selfUrl: string): PageAnswer {
  const newest = feed.items[0]
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">',
    '<channel>',
    tag('title', feed.title),
    tag('link', feed.homeUrl),
    tag('description', feed.description),
    `<atom:link href="${escapeXml(selfUrl)}" rel="self" type="${RSS}"/>`,
    '<language>en</language>',
    ...(newest === undefined ? [] : [tag('lastBuildDate', rfc822(newest.at))]),
    ...feed.items.map(rssItem),
    '</channel>',
    '</rss>',
  ]
  return { type: `${RSS}; charset=utf-8`, body: `${lines.join('\n')}\n`, maxAgeSeconds: 300 }
}

function rssItem(item: FeedItem): string {
  return [
    '<item>',
    tag('title', item.title),
    tag('link', item.url),
    `<guid isPermaLink="false">${escapeXml(item.id)}</guid>`,
    tag('pubDate', rfc822(item.at)),
    ...item.tags.map((name) => tag('category', name)),
    tag('description', item.text),
    '</item>',
  ].join('\n')
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
