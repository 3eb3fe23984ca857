import { expect, test } from 'vitest'
import { escapeXml, writeRss } from './writeFeed.ts'

const FEED = {
  title: 'Touchstone: <changes>',
  description: 'What changed.',
  homeUrl: 'https://trust.example/changes',
  items: [
    {
      id: 'chg_1',
      url: 'https://trust.example/services/a',
      title: 'Price rose: a & b',
      text: ']]> "quoted"',
      at: '2026-11-20T10:00:00.000Z',
      tags: ['change', 'price_jump'],
    },
  ],
}

test('default', () => {
  const { type, body } = writeRss(FEED, 'https://trust.example/changes.rss')
  expect(type).toBe('application/rss+xml; charset=utf-8')
  expect(body).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
    <channel>
    <title>Touchstone: &lt;changes&gt;</title>
    <link>https://trust.example/changes</link>
    <description>What changed.</description>
    <atom:link href="https://trust.example/changes.rss" rel="self" type="application/rss+xml"/>
    <language>en</language>
    <lastBuildDate>Fri, 20 Nov 2026 10:00:00 GMT</lastBuildDate>
    <item>
    <title>Price rose: a &amp; b</title>
    <link>https://trust.example/services/a</link>
    <guid isPermaLink="false">chg_1</guid>
    <pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate>
    <category>change</category>
    <category>price_jump</category>
    <description>]]&gt; &quot;quoted&quot;</description>
    </item>
    </channel>
    </rss>
    "
  `)
})

test('behavior: escapes text so that it cannot end its element or attribute', () => {
  expect(escapeXml(`</title><x a='1' b="2">&`)).toBe(
    '&lt;/title&gt;&lt;x a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;',
  )
})
