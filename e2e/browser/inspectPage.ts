import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'

/** Faults of a page, one line each. */
export type Inspection = {
  readonly consoleErrors: readonly string[]
  readonly externalRequests: readonly string[]
  readonly failedRequests: readonly string[]
  readonly axeSerious: readonly string[]
  /** Elements or effects that only a seller's text can cause. */
  readonly injected: readonly string[]
  /** Viewport widths at which the page overflows. */
  readonly overflows: readonly string[]
  readonly htmlBytes: number
  /** Number of requests, including the page itself. */
  readonly requests: number
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDTHS = [360, 768, 1440]
const MAX_HTML_BYTES = 60_000

/** Inspects one page for faults, accessibility violations and overflow. */
export async function inspectPage(
  context: BrowserContext,
  url: string,
  options: { wantedStatus?: number; screenshots?: string } = {},
): Promise<Inspection> {
  const page = await context.newPage()
  const { origin } = new URL(url)
  const consoleErrors: string[] = []
  const externalRequests: string[] = []
  const failedRequests: string[] = []
  const wantedStatus = options.wantedStatus ?? 200
  page.on('console', (message) => {
    // The browser reports an expected 404 as an error.
    const isWanted = wantedStatus >= 400 && message.location().url === url
    if (message.type() === 'error' && !isWanted) consoleErrors.push(message.text())
  })
  page.on('pageerror', (error) => consoleErrors.push(error.message))
  let requests = 0
  page.on('request', (request) => {
    requests++
    const isData = request.url().startsWith('data:')
    if (!isData && new URL(request.url()).origin !== origin) externalRequests.push(request.url())
  })
  page.on('requestfailed', (request) => failedRequests.push(request.url()))
  page.on('response', (response) => {
    if (response.url() !== url && response.status() >= 400) failedRequests.push(response.url())
  })
  try {
    const response = await page.goto(url, { waitUntil: 'load' })
    if (response?.status() !== wantedStatus) failedRequests.push(`${url} is ${response?.status()}`)
    const htmlBytes = (await response?.body())?.length ?? 0
    if (htmlBytes > MAX_HTML_BYTES) failedRequests.push(`${url} has ${htmlBytes} bytes`)
    const axeSerious = [...(await runAxe(page, 'dark')), ...(await runAxe(page, 'light'))]
    const overflows: string[] = []
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (wide > 0) overflows.push(`${width} px: ${wide} px too wide`)
      if (options.screenshots !== undefined) {
        await page.screenshot({ path: `${options.screenshots}-${width}.png`, fullPage: true })
      }
    }
    return {
      consoleErrors,
      externalRequests,
      failedRequests,
      axeSerious,
      injected: await findInjected(page),
      overflows,
      htmlBytes,
      requests,
    }
  } finally {
    await page.close()
  }
}

/** Returns serious and critical violations. axe bypasses the page's CSP, which forbids all scripts. */
async function runAxe(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate(AXE)
  const results = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })')
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html.slice(0, 160)}`)
}

/** Returns signs of injection: pages have no scripts, frames, objects or event handlers, and only images of the service. */
function findInjected(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    if ('injected' in window) found.push('a script ran')
    const foreign = 'script, iframe, object, embed, style, base, img:not([src^="/"]), svg[onload], [onerror]'
    for (const element of document.querySelectorAll(foreign)) found.push(element.outerHTML.slice(0, 160))
    for (const { href } of document.querySelectorAll('a')) {
      if (!/^(https?|mailto):/.test(href)) found.push(href.slice(0, 160))
    }
    if (/[\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.outerHTML))
      found.push('a bidi control character')
    return found
  })
}
