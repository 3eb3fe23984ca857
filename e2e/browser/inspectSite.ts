import { mkdir } from 'node:fs/promises'
import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy, start } from '@touchstone402/economy'
import type { Browser, BrowserContext } from 'playwright-core'
import { createHostileSellers, VISIBLE_PAYLOAD } from './hostileSellers.ts'
import { type Inspection, inspectPage } from './inspectPage.ts'
import { type FirstByte, measureFirstByte } from './measureFirstByte.ts'
import { openBrowser } from './openBrowser.ts'

/** Result of inspecting the whole site. */
export type SiteInspection = {
  readonly pages: readonly { readonly path: string; readonly inspection: Inspection }[]
  /** User tasks that failed. */
  readonly failedTasks: readonly string[]
  readonly firstByte: FirstByte
}

type Visit = { readonly path: string; readonly name: string; readonly wantedStatus?: number }

/** Inspects every page of a service that audits the whole economy and a few hostile sellers. */
export async function inspectSite(options: {
  /** Inspects one profile of each kind instead of all. */
  allProfiles: boolean
  /** Folder for screenshots. @default no screenshots */
  screenshots?: string
  onProgress?: (line: string) => void
}): Promise<SiteInspection> {
  const { onProgress = () => {}, screenshots } = options
  const hostile = createHostileSellers()
  let economy: Economy | undefined
  let service: Service | undefined
  let browser: Browser | undefined
  try {
    // First, to fail fast on a machine without a browser.
    browser = await openBrowser()
    economy = await start({ sellers: [...allSellers, ...hostile] })
    service = await startService(economy)
    onProgress('three days of audit go by')
    await economy.clock.caughtUp
    if (screenshots !== undefined) await mkdir(screenshots, { recursive: true })
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    const pages = []
    for (const visit of listVisits(economy, options.allProfiles)) {
      const inspection = await inspectPage(context, service.url + visit.path, {
        ...(visit.wantedStatus !== undefined && { wantedStatus: visit.wantedStatus }),
        ...(screenshots !== undefined && { screenshots: `${screenshots}/${visit.name}` }),
      })
      pages.push({ path: visit.path, inspection })
      onProgress(`${visit.path.slice(0, 90)}: ${inspection.htmlBytes} bytes`)
    }
    const failedTasks = await doTasks(context, service.url, economy)
    const profile = `/services/${encodeURIComponent(economy.sellers['honest-v2']?.host ?? '')}`
    return { pages, failedTasks, firstByte: await measureFirstByte(service.url, profile) }
  } finally {
    await browser?.close()
    await service?.stop()
    await economy?.stop()
  }
}

function listVisits({ sellers }: Economy, allProfiles: boolean): Visit[] {
  const few = [
    'honest-v2',
    'overpriced',
    'swapped',
    'dead',
    'hostile-markup',
    'hostile-turned',
    'hostile-long',
  ]
  const profiles = Object.values(sellers).filter(({ id }) => allProfiles || few.includes(id))
  const [known] = profiles
  return [
    { path: '/', name: 'dashboard' },
    { path: `/?q=${encodeURIComponent(known?.url ?? '')}`, name: 'search-endpoint' },
    { path: '/?q=localhost', name: 'search-several' },
    { path: `/?q=${encodeURIComponent(VISIBLE_PAYLOAD)}`, name: 'search-hostile' },
    { path: '/?verdict=avoid', name: 'dashboard-avoid' },
    { path: '/incidents?days=365', name: 'incidents' },
    { path: '/changes?days=365', name: 'changes' },
    { path: '/reports', name: 'reports' },
    { path: '/methodology', name: 'methodology' },
    { path: '/docs', name: 'docs' },
    { path: '/docs/schemas/Verdict', name: 'docs-schema' },
    { path: '/services/nobody.example', name: 'unknown', wantedStatus: 404 },
    { path: `/services/${encodeURIComponent(VISIBLE_PAYLOAD)}`, name: 'unknown-hostile', wantedStatus: 404 },
    ...profiles.map(({ id, host }) => ({
      path: `/services/${encodeURIComponent(host)}`,
      name: `profile-${id}`,
    })),
  ]
}

/** Checks user tasks: find a service, open its profile, and read a hostile seller's name as text. */
async function doTasks(context: BrowserContext, origin: string, { sellers }: Economy): Promise<string[]> {
  const failed: string[] = []
  const page = await context.newPage()
  const wanted = sellers['honest-v2']
  await page.goto(origin)
  await page.getByRole('searchbox').fill(wanted?.host ?? '')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Full profile' }).click()
  await page.waitForURL(`${origin}/services/**`)
  const verdict = await page.locator('.verdict').textContent()
  if (verdict !== 'Safe to pay') failed.push(`the search for ${wanted?.host} ended at "${verdict}"`)
  const heading = await page.getByRole('heading', { level: 1 }).textContent()
  if (heading !== wanted?.host) failed.push(`the profile of ${wanted?.host} is headed "${heading}"`)
  await page.goto(`${origin}/services/${encodeURIComponent(sellers['hostile-markup']?.host ?? '')}`)
  const hostile = page.getByText(VISIBLE_PAYLOAD).first()
  if (!(await hostile.isVisible())) {
    failed.push('the markup in a hostile name is not shown as text')
  }
  // The first Tab stop is the skip link.
  await page.keyboard.press('Tab')
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('href'))
  if (focused !== '#main') failed.push(`the first Tab lands on ${focused}`)
  await page.close()
  return failed
}
