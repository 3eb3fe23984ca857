import { expect, test } from 'vitest'
import { startHttpApp } from '../http/testing/startHttpApp.ts'
import { createRedirects } from './redirects.ts'
import { HTML, openPages, samplesOf } from './testing/openPages.ts'

const open = () => startHttpApp({ pages: createRedirects() })

test.each([
  ['/docs/schemas/Verdict', '/docs/reference'],
  ['/incidents', '/feed?kind=incidents'],
  ['/services/api.example.com/feed.json', '/services/api.example.com/feed.rss'],
  ['/services/api.example.com/recheck', '/owners/api.example.com'],
  [
    '/rotations?endpoint=https%3A%2F%2Fapi.example.com%3A8443%2Fa',
    '/owners/api.example.com%3A8443?endpoint=https%3A%2F%2Fapi.example.com%3A8443%2Fa',
  ],
  ['/disputes?host=api.example.com&incident=inc_1', '/owners/api.example.com?about=inc_1'],
  ['/claims?host=api.example.com', '/owners/api.example.com'],
  ['/claims', '/'],
  ['/claims?host=..%2F..%2F%2Fevil.example', '/'],
])('default: %s moved to %s', async (from, to) => {
  const origin = await open()
  const response = await fetch(origin + from, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([301, to])
})

test.each([
  ['/submissions', { url: 'https://api.example.com/a' }, '/scans'],
  ['/claims', { host: 'api.example.com' }, '/owners/api.example.com/claims'],
  ['/rotations', { endpoint: 'https://api.example.com/a' }, '/owners/api.example.com/announcements'],
])('behavior: a POST to %s is sent on with its body', async (from, fields, to) => {
  const origin = await open()
  const body = new URLSearchParams(fields as Record<string, string>)
  const response = await fetch(origin + from, { method: 'POST', body, redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([308, to])
})

test('error: a POST to an address of an owner form names the field that has no host', async () => {
  const response = await fetch(`${await open()}/claims`, {
    method: 'POST',
    body: new URLSearchParams({ secret: 'a' }),
    redirect: 'manual',
  })
  expect([response.status, (await response.json()).errors[0].parameter]).toEqual([400, 'host'])
})

test('behavior: no page links to an address that moved, and every link of the header leads to a page', async () => {
  const origin = await openPages(samplesOf('llm.quickinfer.net'))
  const pages = [
    '/',
    '/services/llm.quickinfer.net',
    '/tokens',
    '/feed',
    '/reports',
    '/methodology',
    '/docs',
    '/log',
  ]
  const found = new Set<string>()
  for (const path of [...pages, '/about', '/?q=nobody.example', '/absent']) {
    const html = await (await fetch(origin + path, HTML)).text()
    for (const [, href = ''] of html.matchAll(/<(?:a|link)[^>]* href="(\/[^"#]*)/g))
      found.add(href.replaceAll('&amp;', '&'))
    const [nav = ''] = /<nav aria-label="Main".*?<\/nav>/s.exec(html) ?? []
    expect([...nav.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(
      pages.filter((page) => !page.startsWith('/services')),
    )
  }
  expect(found.size).toBeGreaterThan(25)
  for (const path of found) {
    const { status } = await fetch(origin + path, { ...HTML, redirect: 'manual' })
    expect([path, status]).not.toEqual([path, 301])
    if (pages.includes(path)) expect([path, status]).toEqual([path, 200])
  }
})
