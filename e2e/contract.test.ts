import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { checkRss } from './contract/checkFeeds.ts'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { createChecker } from './contract/createChecker.ts'

checksNoAnswers('it shows that the checker finds what is wrong with made-up answers')

const FEED = {
  asOf: '2026-11-20T10:00:00.000Z',
  since: '2026-11-13T10:00:00.000Z',
  days: 7,
  limit: 1,
  count: 0,
  total: 0,
  truncated: false,
  nextCursor: null,
}
const JSON_TYPE = { 'content-type': 'application/json', etag: '"x"' }
const PROBLEM = { 'content-type': 'application/problem+json', 'retry-after': '1' }
const problem = (status: number) => ({ type: 'x', title: 'x', status, code: 'x', detail: 'x' })

const DOCUMENT = new URL('../docs/openapi.json', import.meta.url)
const check = createChecker(JSON.parse(await readFile(DOCUMENT, 'utf8')))

/** Returns the violations that the checker finds in one response. */
function violations(path: string, status: number, headers: Record<string, string>, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return check({ method: 'GET', path, status, headers: new Headers(headers), body: text })
}

test('behavior: accepts valid responses', () => {
  expect(violations('/changes.json', 200, JSON_TYPE, { ...FEED, changes: [] })).toEqual([])
  expect(violations('/changes.json', 429, PROBLEM, problem(429))).toEqual([])
})

test.each([
  ['an undocumented status', '/changes.json', 418, PROBLEM, problem(418)],
  ['a paid success without a receipt', '/trust', 200, JSON_TYPE, {}],
  ['an undocumented media type', '/changes.json', 200, { ...JSON_TYPE, 'content-type': 'text/html' }, '<p>'],
  ['a missing ETag', '/changes.json', 200, { 'content-type': 'application/json' }, { ...FEED, changes: [] }],
  ['a missing field', '/changes.json', 200, JSON_TYPE, FEED],
  ['a field of the wrong type', '/changes.json', 200, JSON_TYPE, { ...FEED, days: '7', changes: [] }],
  ['an invalid date', '/changes.json', 200, JSON_TYPE, { ...FEED, asOf: 'today', changes: [] }],
  ['an invalid record in a list', '/changes.json', 200, JSON_TYPE, { ...FEED, changes: [{ id: 'a' }] }],
  ['invalid JSON', '/changes.json', 200, JSON_TYPE, '{'],
  ['a problem with a different status', '/changes.json', 429, PROBLEM, problem(503)],
  ['a refusal without Retry-After', '/changes.json', 429, { ...PROBLEM, 'retry-after': '' }, problem(429)],
  ['an undocumented path', '/secret.json', 200, JSON_TYPE, {}],
])('error: %s is a violation', (_, path, status, headers, body) => {
  expect(violations(path, status, headers, body).length).toBeGreaterThan(0)
})

test('error: tells invalid feeds from valid ones', () => {
  const item =
    '<item><title>a</title><link>https://a.example/</link><guid>1</guid><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item>'
  const rss = (inner: string) =>
    `<rss version="2.0"><channel><title>t</title><link>https://a.example/</link><description>d</description>${inner}</channel></rss>`
  expect(checkRss(rss(item))).toEqual([])
  for (const wrong of [
    rss(item + item),
    rss(item.replace('https://a.example', '')),
    rss('<item>'),
    rss('a & b'),
    '',
  ])
    expect(checkRss(wrong), wrong).not.toEqual([])
})
