import { request } from 'node:http'
import { expect, test } from 'vitest'
import { openPages, samplesOf } from './testing/openPages.ts'

const HOST = 'api.skycast.dev'
const PATHS = ['/', `/services/${HOST}`, '/log']

/** Sends exactly the given headers, unlike `fetch`, which always names what it accepts. */
function get(url: string, headers: Record<string, string>) {
  return new Promise<{ status?: number; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      request(url, { headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
      })
        .on('error', reject)
        .end()
    },
  )
}

test.each([
  ['Slackbot', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
  ['Facebook', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
  ['Twitter', 'Twitterbot/1.0'],
  ['LinkedIn', 'LinkedInBot/1.0 (compatible; Mozilla/5.0; +http://www.linkedin.com)'],
  ['Discord', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)'],
])('default: %s gets a page with a preview, for any media type and without Accept', async (_, agent) => {
  const origin = await openPages(samplesOf(HOST))
  for (const path of PATHS) {
    for (const accept of [{}, { accept: '*/*' }]) {
      const { status, headers, text } = await get(origin + path, { 'user-agent': agent, ...accept })
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8'])
      expect(text).toContain('<meta property="og:title"')
      expect(headers.vary).toContain('Accept')
    }
  }
})

test('behavior: a page names its JSON, which answers at that path and by Accept', async () => {
  const origin = await openPages(samplesOf(HOST))
  for (const [path, json] of [
    ['/', '/index.json'],
    [`/services/${HOST}`, `/services/${HOST}.json`],
    [`/services/${HOST}?endpoint=%3E%22`, `/services/${HOST}.json?endpoint=%3E%22`],
    ['/log', '/log.json'],
  ] as const) {
    const page = await get(origin + path, {})
    expect(page.headers.link).toBe(`<${json}>; rel="alternate"; type="application/json"`)
    const twin = await get(origin + json, { accept: 'text/html' })
    const asked = await get(origin + path, { accept: 'application/json' })
    for (const { status, headers } of [twin, asked])
      expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(twin.text).toBe(asked.text)
  }
})

test('error: a program that accepts anything gets a problem document', async () => {
  const origin = await openPages([])
  for (const path of ['/services/nobody.example', '/services/nobody.example.json', '/verify', '/nowhere']) {
    const { status, headers } = await get(origin + path, { accept: '*/*' })
    expect([path, status, headers['content-type']]).toEqual([
      path,
      path === '/verify' ? 400 : 404,
      'application/problem+json',
    ])
  }
})
