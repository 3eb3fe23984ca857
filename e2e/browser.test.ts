import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findChromium } from './browser/findChromium.ts'
import { inspectPage } from './browser/inspectPage.ts'
import { inspectSite } from './browser/inspectSite.ts'
import { openBrowser } from './browser/openBrowser.ts'
import { serve } from './support/serve.ts'

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
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  return inspectPage(context, `${server.url}/`)
}

test('default', async () => {
  const { pages, failedTasks } = await inspectSite({ allProfiles: false })
  expect(pages.length).toBeGreaterThan(15)
  expect(failedTasks).toEqual([])
  for (const { path, inspection } of pages) {
    const { htmlBytes, requests, ...faults } = inspection
    expect([path, Object.values(faults).flat()]).toEqual([path, []])
    expect(htmlBytes).toBeLessThan(60_000)
    expect(requests).toBeLessThan(6)
  }
}, 900_000)

test('behavior: reports no faults on a good page', async () => {
  const { htmlBytes, requests, ...faults } = await inspect(
    `${GOOD}<body><main><h1>Good</h1></main></body></html>`,
  )
  expect(Object.values(faults).flat()).toEqual([])
  expect([htmlBytes > 0, requests]).toEqual([true, 1])
})

test('error: reports each fault of a bad page', async () => {
  const faults = await inspect(
    `${GOOD}<body><main><h1>Bad</h1>
      <script>window.injected = 1; console.error('broken')</script>
      <img src="http://127.0.0.1:9/x.png" alt=""><img src="/gone.png" alt="">
      <a href="javascript:alert(1)">link</a>
      <p style="color:#999;background:#aaa">faint</p>
      <div style="width:800px">wide</div>\u202e
    </main></body></html>`,
  )
  expect(faults.consoleErrors).toContain('broken')
  expect(faults.externalRequests).toEqual(['http://127.0.0.1:9/x.png'])
  expect(faults.failedRequests.map((url) => new URL(url).pathname).sort()).toEqual(['/gone.png', '/x.png'])
  expect(faults.axeSerious.some((line) => line.startsWith('light color-contrast'))).toBe(true)
  expect(faults.injected).toEqual(
    expect.arrayContaining(['a script ran', 'a bidi control character', 'javascript:alert(1)']),
  )
  expect(faults.overflows).toHaveLength(2)
})

test('error: explains how to install a missing browser', () => {
  expect(() => findChromium({ CHROMIUM_PATH: '/no/such/browser' })).toThrow(
    'CHROMIUM_PATH names /no/such/browser, which is not there.',
  )
})
