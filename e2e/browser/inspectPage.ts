import type { BrowserContext, Page } from 'playwright-core'
import { type Examination, examinePage, FEW_VIEWS, type View } from './examinePage.ts'
import { type Traffic, watchTraffic } from './watchTraffic.ts'

/** Faults of a page, one line each. */
export type Faults = Examination &
  Readonly<Record<keyof Omit<Traffic, 'requests'>, readonly string[]>> & {
    /** Content missing without scripts. */
    readonly needsScript: readonly string[]
  }

/** Faults of a page, its size, and where it leads. */
export type Inspection = {
  readonly faults: Faults
  readonly htmlBytes: number
  /** Number of requests, including the page itself. */
  readonly requests: number
  /** URLs of its links, images, feeds and styles. */
  readonly links: readonly string[]
}

const MAX_HTML_BYTES = 60_000

/** Inspects one page for faults, accessibility violations and overflow. */
export async function inspectPage(
  context: BrowserContext,
  url: string,
  options: {
    wantedStatus?: number
    /** @default a bright phone and a dark desktop */
    views?: readonly View[]
    /** Start of the names of screenshots. @default no screenshots */
    screenshots?: string
    /** A context without scripts, in which the page must have the same content. @default not checked */
    plain?: BrowserContext
  } = {},
): Promise<Inspection> {
  const { wantedStatus = 200, views = FEW_VIEWS, screenshots, plain } = options
  const page = await context.newPage()
  try {
    const traffic = watchTraffic(page, new URL(url).origin)
    const response = await page.goto(url, { waitUntil: 'load' })
    if (response?.status() !== wantedStatus) traffic.failedRequests.push(`${url} is ${response?.status()}`)
    const htmlBytes = (await response?.body())?.length ?? 0
    if (htmlBytes > MAX_HTML_BYTES) traffic.failedRequests.push(`${url} has ${htmlBytes} bytes`)
    const requests = traffic.requests()
    const content = await readContent(page)
    const examined = await examinePage(page, { views, hasScripts: true, screenshots })
    const needsScript = plain === undefined ? [] : await findMissing(plain, url, content)
    const { requests: _, ...seen } = traffic
    return {
      faults: { ...examined, ...seen, needsScript },
      htmlBytes,
      requests,
      links: await listLinks(page),
    }
  } finally {
    await page.close()
  }
}

/** Returns the targets of a page. */
export function listLinks(page: Page): Promise<string[]> {
  return page.evaluate(() => [
    ...[...document.querySelectorAll<HTMLAnchorElement | HTMLLinkElement>('a[href], link[href]')]
      // A refusal has no own address.
      .filter(({ rel }) => rel !== 'canonical' || document.querySelector('p.code') === null)
      .map(({ href }) => href),
    ...[...document.querySelectorAll('img')].map(({ src }) => src),
  ])
}

type Content = { readonly parts: readonly string[]; readonly words: number }

/** Reads the content that a page must have with and without scripts. */
function readContent(page: Page): Promise<Content> {
  return page.evaluate(() => ({
    parts: [
      ...[...document.querySelectorAll('h1, h2, h3')].map(({ textContent }) => `heading ${textContent}`),
      ...[...document.querySelectorAll('form')].map((form) => `form to ${form.getAttribute('action')}`),
    ],
    words: document.querySelector('main')?.textContent?.split(/\s+/).length ?? 0,
  }))
}

async function findMissing(plain: BrowserContext, url: string, wanted: Content): Promise<string[]> {
  const page = await plain.newPage()
  try {
    await page.goto(url, { waitUntil: 'load' })
    const { parts, words } = await readContent(page)
    const missing = wanted.parts.filter((part) => !parts.includes(part)).map((part) => `no ${part}`)
    return words < 0.9 * wanted.words ? [...missing, `${words} words instead of ${wanted.words}`] : missing
  } finally {
    await page.close()
  }
}
