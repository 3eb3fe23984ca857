import type { Change } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { escapeXml, writeRss } from './rss.ts'

const CHANGE: Change = {
  id: 'chg_1',
  kind: 'payto_swap',
  host: 'a&b.example',
  endpoint: 'https://a.example/]]>"x"',
  at: '2026-11-20T10:00:00.000Z',
  before: '0x1111111111111111111111111111111111111111',
  after: 'one<two',
}

test('default', () => {
  const about = { title: 'Touchstone: <changes>', description: 'What changed.' }
  const feed = { ...about, path: '/changes.rss', page: '/feed?kind=changes', events: [CHANGE] }
  const { type, body } = writeRss(feed, 'https://trust.example')
  expect(type).toBe('application/rss+xml; charset=utf-8')
  expect(body).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
    <channel>
    <title>Touchstone: &#60;changes&#62;</title>
    <link>https://trust.example/feed?kind=changes</link>
    <description>What changed.</description>
    <atom:link href="https://trust.example/changes.rss" rel="self" type="application/rss+xml"/>
    <language>en</language>
    <item>
    <title>Receiver changed: a&#38;b.example</title>
    <link>https://trust.example/services/a%26b.example</link>
    <guid isPermaLink="false">chg_1</guid>
    <pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate>
    <category>payto_swap</category>
    <description>https://a.example/]]&#62;&#34;x&#34;: 0x1111111111111111111111111111111111111111 → one&#60;two</description>
    </item>
    </channel>
    </rss>
    "
  `)
})

test('behavior: escapes text so that it cannot end its element or attribute', () => {
  expect(escapeXml(`</title><x a='1' b="2">&`)).toBe(
    '&#60;/title&#62;&#60;x a=&#39;1&#39; b=&#34;2&#34;&#62;&#38;',
  )
})
