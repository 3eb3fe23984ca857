import { expect, test } from 'vitest'
import { startHttpApp } from '../http/testing/startHttpApp.ts'
import { createRedirects } from './redirects.ts'

const open = () => startHttpApp({ pages: createRedirects() })

test.each([
  ['/tokens', '/docs'],
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
