import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy } from '@touchstone402/economy'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openBrowser } from './browser/openBrowser.ts'
import { startEconomy } from './support/economy.ts'

let economy: Economy
let service: Service
let browser: Browser
let host: string
let endpoint: string

beforeAll(async () => {
  browser = await openBrowser()
  const sellers = allSellers.filter(({ id }) => ['honest-v1', 'honest-v2', 'overpriced'].includes(id))
  economy = await startEconomy({ sellers, clock: 'real' })
  service = await startService(economy, { settings: { PORT: '0' } })
  ;({ host = '', url: endpoint = '' } = economy.sellers['honest-v1'] ?? {})
  await vi.waitFor(
    async () => {
      const { services } = await (await fetch(`${service.url}/index.json`)).json()
      expect(services).toHaveLength(3)
    },
    { timeout: 90_000, interval: 500 },
  )
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
  await economy?.stop()
})

/** Opens a page of the service. Fails the test on errors in the console. */
async function open(path: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  const errors: string[] = []
  onTestFinished(async () => {
    await context.close()
    expect(errors).toEqual([])
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.goto(service.url + path)
  return page
}

const copied = () => navigator.clipboard.readText()

/** Starts a check. Resolves to the path of its page. */
async function startCheck(fields: Record<string, string>): Promise<string> {
  const init = { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' } as const
  const { headers } = await fetch(`${service.url}/scans`, init)
  return headers.get('location') ?? ''
}

test('default: a button copies a snippet of a check', async () => {
  const page = await open(await startCheck({ url: endpoint }))
  await page.getByRole('heading', { name: /to fix$/ }).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Copy Command' }).click()
  expect(await page.evaluate(copied)).toBe(`npx @touchstone402/guard scan ${endpoint}`)
})

test('behavior: a button copies the whole address of which the page shows the ends', async () => {
  const page = await open(`/services/${encodeURIComponent(host)}`)
  const address = page.locator('.address').first()
  const whole = (await address.getAttribute('title')) ?? ''
  expect(whole).toMatch(/^0x[0-9a-fA-F]{40}$/)
  expect(await address.textContent()).toBe(`${whole.slice(0, 8)}…${whole.slice(-6)}`)
  await page
    .getByRole('button', { name: `Copy ${whole}` })
    .first()
    .click()
  await expect.poll(() => page.evaluate(copied)).toBe(whole)
})

test('behavior: without scripts a check loads its page again until the result is there', async () => {
  const place = await startCheck({ url: economy.sellers['honest-v2']?.url ?? '' })
  const page = await open(place, { javaScriptEnabled: false })
  await page.getByRole('heading', { name: /to fix$/ }).waitFor({ timeout: 60_000 })
  expect(await page.locator('button.copy').count()).toBe(0)
})
