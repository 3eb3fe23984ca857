import { USDC } from '@touchstone402/economy'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { checkLinks } from '../browser/checkLinks.ts'
import { ONE_VIEW } from '../browser/examinePage.ts'
import { findChromium } from '../browser/findChromium.ts'
import { inspectPage } from '../browser/inspectPage.ts'
import { findCited } from '../browser/listVisits.ts'
import { openBrowser } from '../browser/openBrowser.ts'
import { useService } from '../support/economy.ts'
import { serve } from '../support/serve.ts'

const GOOD = '<!doctype html><html lang="en"><head><title>Good</title><link rel="icon" href="data:,"></head>'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

async function inspect(html: string) {
  const server = await serve((request, response) => {
    if (request.url !== '/') response.writeHead(404).end()
    else response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
  })
  onTestFinished(() => server.stop())
  const [context, plain] = [
    await browser.newContext(),
    await browser.newContext({ javaScriptEnabled: false }),
  ]
  onTestFinished(async () => {
    await context.close()
    await plain.close()
  })
  return inspectPage(context, `${server.url}/`, { plain })
}

/** A page of each kind that a visitor meets; the nightly run walks through all of them, in every view. */
async function listPages(): Promise<string[]> {
  const { economy, service } = await useService()
  const hostOf = (id: string) => encodeURIComponent(economy.sellers[id]?.host ?? '')
  const { incidents } = await (await fetch(`${service.url}/incidents.json`)).json()
  const [{ id }] = incidents
  const cited = findCited(incidents)
  const { latest } = await (await fetch(`${service.url}/reports.json`)).json()
  const paths = [
    ...['/', '/?verdict=avoid', '/feed', `/incidents/${id}`, `/observations/${cited}`],
    ...['/reports', `/reports/${latest.date}/verdicts`, '/methodology', '/docs', '/log', '/about'],
    ...['/tokens', `/tokens/${USDC}`],
    ...[`/services/${hostOf('honest-v2')}`, `/services/${hostOf('swapped')}`, `/owners/${hostOf('swapped')}`],
  ]
  return paths.map((path) => service.url + path)
}

test('default: every page has no fault on a phone, with and without scripts', async () => {
  const [context, plain] = [
    await browser.newContext({ reducedMotion: 'reduce' }),
    await browser.newContext({ javaScriptEnabled: false }),
  ]
  const pages = await listPages()
  expect(pages).toHaveLength(16)
  for (const url of pages) {
    const { faults, htmlBytes, requests } = await inspectPage(context, url, { plain, views: ONE_VIEW })
    expect([url, ...Object.values(faults).flat()]).toEqual([url])
    expect(htmlBytes).toBeLessThan(60_000)
    expect(requests).toBeLessThan(6)
  }
  await context.close()
  await plain.close()
})

test('behavior: verdict, reason, both sides, liveness and uptime stand within the first screen of a phone', async () => {
  const { economy, service } = await useService()
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  onTestFinished(() => page.close())
  for (const id of ['honest-v2', 'overpriced', 'swapped', 'cloaker', 'dead']) {
    await page.goto(`${service.url}/services/${encodeURIComponent(economy.sellers[id]?.host ?? '')}`)
    const parts = ['.verdict', '.sentence', '.side:last-child', '.fields > :nth-child(4)']
    const ends = await Promise.all(
      parts.map(async (part) => {
        const box = await page.locator(`.hero ${part}`).first().boundingBox()
        return box === null ? null : Math.round(box.y + box.height)
      }),
    )
    expect([id, ...ends]).toEqual([id, ...ends.map((end) => (end === null || end > 844 ? 'too low' : end))])
    expect([id, ends.toSorted((a, b) => Number(a) - Number(b))]).toEqual([id, ends])
  }
})

test('behavior: on a phone a service of the list takes 64 px, with its verdict, host and reason', async () => {
  const { service } = await useService()
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  onTestFinished(() => page.close())
  await page.goto(service.url)
  const rows = page.locator('[aria-labelledby="services"] tbody tr')
  const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
  expect(heights.length).toBeGreaterThan(10)
  expect(new Set(heights)).toEqual(new Set([64]))
  for (const part of ['th', '.tag', '.whole'])
    expect([part, await rows.first().locator(part).isVisible()]).toEqual([part, true])
})

test('behavior: reports no faults on a good page', async () => {
  const { faults, htmlBytes, requests } = await inspect(
    `${GOOD}<body><main><h1>Good</h1></main></body></html>`,
  )
  expect(Object.values(faults).flat()).toEqual([])
  expect([htmlBytes > 0, requests]).toEqual([true, 1])
})

test('error: reports each fault of a bad page', async () => {
  const { faults, links } = await inspect(
    `${GOOD}<body><main><h1>Bad</h1>
      <script>window.injected = 1; console.error('broken')</script>
      <script>document.querySelector('main').append(document.createElement('h2'))</script>
      <img src="http://127.0.0.1:9/x.png" alt=""><img src="/gone.png" alt="">
      <a href="javascript:alert(1)">link</a> <a href="/gone#here">gone</a>
      <p style="color:#999;background:#aaa">faint</p>
      <p style="font-size:12px">small</p>
      <div style="width:800px">wide</div>\u202e
    </main></body></html>`,
  )
  expect(faults.consoleErrors).toContain('broken')
  expect(faults.externalRequests).toEqual(['http://127.0.0.1:9/x.png'])
  expect(faults.failedRequests.map((url) => new URL(url).pathname).sort()).toEqual(['/gone.png', '/x.png'])
  expect(faults.axeSerious.some((line) => line.startsWith('390 light color-contrast'))).toBe(true)
  expect(faults.injected).toEqual(
    expect.arrayContaining(['a script ran', 'a bidi control character', 'javascript:alert(1)']),
  )
  expect(faults.overflows).toHaveLength(3)
  expect(faults.smallType).toContain('390 light 12.0 px p.: small')
  expect(faults.needsScript).toEqual(['no heading '])
  const origin = new URL(links.find((link) => link.endsWith('/gone#here')) ?? '').origin
  expect(await checkLinks(origin, new Map(links.map((link) => [link, '/'])))).toEqual(
    expect.arrayContaining(['/gone is 404, linked from /', '/gone has no #here, linked from /']),
  )
})

test('error: explains how to install a missing browser', () => {
  expect(() => findChromium({ CHROMIUM_PATH: '/no/such/browser' })).toThrow(
    'CHROMIUM_PATH names /no/such/browser, which is not there.',
  )
})
