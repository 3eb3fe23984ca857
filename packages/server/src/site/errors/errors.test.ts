import { gzipSync } from 'node:zlib'
import { encodeBase64Json, OPERATIONS, PAID_OPERATIONS, X402_HEADERS } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { CONTRACT_PRICES } from '../../config/priceSettings.ts'
import type { HttpParts } from '../../http/deps.ts'
import { createSmallAnswers } from '../../http/testing/answers.ts'
import type { AppChanges } from '../../http/testing/smallApp.ts'
import { startHttpApp } from '../../http/testing/startHttpApp.ts'
import { ProblemError } from '../../lib/problemError.ts'
import { HTML } from '../testing/openPages.ts'
import { createErrorPages } from './errors.tsx'

const PAY_TO = '0xdb9Ed08f39AA9Ab4a4DE3Ad5d8C3Af0e9AeBcd23'
const TERMS = encodeBase64Json({
  x402Version: 2,
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '5000',
      payTo: PAY_TO,
      maxTimeoutSeconds: 60,
      asset: OPERATIONS.pulse.sampleQuery.token,
    },
  ],
})
const CHALLENGE = '{"x402Version":1,"error":"payment_required","accepts":[]}'

const errorPages = createErrorPages({
  config: {
    publicUrl: 'https://trust.example',
    operator: { name: 'Example Trust', contact: 'mailto:ops@trust.example' },
    prices: CONTRACT_PRICES,
  },
})
const paywall: HttpParts['paywall'] = {
  sell: async () => ({ kind: 'challenge', headers: { [X402_HEADERS.required]: TERMS }, body: CHALLENGE }),
}
const start = (changes: AppChanges = {}) => startHttpApp({ errorPages, paywall, ...changes })

/** Expects a page under the strict policy, and returns its text. */
async function readPage(response: Response, status: number): Promise<string> {
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toMatch(
    /default-src 'none';.*script-src 'sha256-[\w+/]{43}='/,
  )
  expect(response.headers.get('cache-control')).toContain('no-store')
  expect(response.headers.get('vary')).toBe('Accept')
  const page = await response.text()
  expect(page).toMatch(/^<!doctype html><html lang="en">/)
  expect(page).not.toMatch(/<script(?! src="\/assets\/page\.js\?v=)| style=/)
  return page
}

test('default', async () => {
  const page = await readPage(await fetch(`${await start()}/verify?endpoint=nonsense`, HTML), 400)
  expect(page).toContain('<h1>Bad Request</h1>')
  expect(page).toContain('<li><code>endpoint</code>: ')
  expect(page).toContain('href="/docs#verify"')
})

test('behavior: programs get the same problem documents and challenges whatever the pages', async () => {
  const [origin, plain] = await Promise.all([start(), startHttpApp({ paywall })])
  const accepts = [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/plain']
  for (const path of ['/verify', '/nowhere', '/services/nobody.example', '/pulse', '/trust?endpoint=x']) {
    for (const accept of accepts) {
      const headers = accept === undefined ? {} : { Accept: accept }
      const [one, other] = await Promise.all([
        fetch(origin + path, { headers }),
        fetch(plain + path, { headers }),
      ])
      const read = async (response: Response) => {
        const { date: _, 'x-request-id': id = '', ...rest } = Object.fromEntries(response.headers)
        const body = (await response.text()).replace(id, 'id')
        return { status: response.status, rest, body }
      }
      expect(await read(one)).toEqual(await read(other))
      expect(one.headers.get('content-type')).toContain('json')
    }
  }
})

test('behavior: an unknown path is a page with one search', async () => {
  const page = await readPage(await fetch(`${await start()}/no/such/page?x=%ff`, HTML), 404)
  expect(page).toContain('<h1>Not Found</h1>')
  expect(page).toContain('<form class="search large" action="/" method="get">')
  expect(page.match(/type="search"/g)).toHaveLength(1)
})

test('behavior: the page of a refused form names a field once', () => {
  const errors = [{ parameter: 'secret', code: 'malformed', message: 'secret: expected 43 characters' }]
  const refusal = { status: 400, code: 'invalid_fields', detail: 'secret: expected 43 characters', errors }
  expect(errorPages.refusal(refusal, '/claims')).toContain(
    '<li><code>secret</code>: expected 43 characters</li>',
  )
})

test('behavior: an unpaid call is a page with price, receiver, network and how to pay', async () => {
  const origin = await start()
  for (const id of PAID_OPERATIONS) {
    const { path, summary, priceUsd } = OPERATIONS[id]
    const response = await fetch(origin + path, HTML)
    expect(response.headers.get(X402_HEADERS.required)).toBe(TERMS)
    const page = await readPage(response, 402)
    const price = `$${Number(priceUsd) < 0.01 ? Number(priceUsd) : Number(priceUsd).toFixed(2)}`
    for (const text of [
      summary,
      price,
      PAY_TO,
      '>Base<',
      'touchstone pay ',
      'touchstone proxy ',
      '@x402/fetch',
    ]) {
      expect(page).toContain(text.replaceAll('"', '&quot;'))
    }
    expect(page.indexOf('npm run pack')).toBeLessThan(page.indexOf('touchstone pay '))
    expect(page.indexOf('npm run pack')).toBeGreaterThan(0)
  }
})

test('behavior: the page of an unpaid call shows a part of a real answer, and what is free', async () => {
  const origin = await start()
  const { paths } = await (await fetch(`${origin}/openapi.json`)).json()
  for (const id of PAID_OPERATIONS) {
    const { path } = OPERATIONS[id]
    const { example } = paths[path].get.responses[200].content['application/json']
    const page = await readPage(await fetch(origin + path, HTML), 402)
    expect(page).toContain(`href="/docs/reference/${id}"`)
    const [, shown = ''] = /aria-label="Part of an answer"><pre><code>(.*?)<\/code>/s.exec(page) ?? []
    const sample = shown.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
    const fields = [...sample.matchAll(/^ {2}"(\w+)": (.*?)(?: …)?,$/gm)]
    expect(fields.length, id).toBeGreaterThan(1)
    expect(sample.split('\n').length, id).toBeLessThan(12)
    // A list shows its first item alone.
    for (const [, name = '', text = ''] of fields)
      expect(JSON.stringify(example[name])).toContain(text.replace(/\]$/, ''))
    expect(gzipSync(page).length, id).toBeLessThan(5000)
  }
  const free = async (path: string) => (await fetch(origin + path, HTML)).text()
  expect(await free('/data/full')).toContain('href="/data/sample"')
  expect(await free('/trust/dataset')).toContain('href="/status.json"')
  expect(await free(`/flow?token=${PAY_TO.toLowerCase()}`)).toContain(`href="/tokens/${PAY_TO}"`)
})

test('behavior: the page of an unpaid call names what is wrong with its query', async () => {
  const origin = await start()
  const wrong = await readPage(await fetch(`${origin}/pulse?token=0x12&window=2d`, HTML), 402)
  expect(wrong).toContain('<li><code>token</code>: ')
  expect(wrong).toContain('expected one of 5m, 15m, 1h, 6h, 24h')
  const right = await readPage(await fetch(`${origin}/pulse?token=${PAY_TO}`, HTML), 402)
  expect(right).not.toContain('What to correct')
  expect(right).toContain(`https://trust.example/pulse?token=${PAY_TO}`)
})

test('behavior: a page escapes what the request says, and no quote leaves an argument of a command', async () => {
  const origin = await start()
  const markup = '%22%3E%3Cimg%20src=x%3E'
  for (const path of [`/verify?endpoint=${markup}`, `/${markup}`, `/pulse?token=${markup}`]) {
    expect(await (await fetch(origin + path, HTML)).text()).not.toContain('<img src=x')
  }
  const page = await (await fetch(`${origin}/trust?endpoint=https://a.example/&x='$(id)'\\`, HTML)).text()
  expect(page).not.toMatch(/x='\$\(id\)|\\/)
})

test('behavior: too many calls are a page that says when to try again', async () => {
  const origin = await start({ config: { rateLimitPerMinute: 1 } })
  await fetch(`${origin}/status.json`, HTML)
  for (const path of ['/status.json', '/openapi.json']) {
    const response = await fetch(origin + path, HTML)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(await readPage(response, 429)).toMatch(/In \d+ seconds? the same request works again/)
  }
})

test('behavior: HEAD, other methods and faults of ours have pages too', async () => {
  const answers = {
    ...createSmallAnswers(),
    status: async () => {
      throw new ProblemError(503, 'busy', 'Come back later.', { retryAfterSeconds: 5 })
    },
    reports: async () => {
      throw new Error('a secret')
    },
  }
  const origin = await start({ answers })
  const head = await fetch(`${origin}/verify`, { ...HTML, method: 'HEAD' })
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    400,
    'text/html; charset=utf-8',
    '',
  ])
  const wrong = await fetch(`${origin}/verify`, { ...HTML, method: 'DELETE' })
  expect(wrong.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  expect(await readPage(wrong, 405)).toContain('<h1>Method Not Allowed</h1>')
  expect(await readPage(await fetch(`${origin}/status.json`, HTML), 503)).toContain('In 5 seconds')
  expect(await readPage(await fetch(`${origin}/reports.json`, HTML), 500)).not.toContain('a secret')
})
