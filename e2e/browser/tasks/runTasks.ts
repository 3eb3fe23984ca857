import type { BrowserContext, Locator } from 'playwright-core'
import { examinePage } from '../examinePage.ts'
import { type Inspection, listLinks } from '../inspectPage.ts'
import { nameClient } from '../nameClient.ts'
import type { Site } from '../openSite.ts'
import { watchTraffic } from '../watchTraffic.ts'
import { errorTasks, LAST_TASKS } from './errors.ts'
import { questionTasks } from './questions.ts'
import { readingTasks } from './reading.ts'
import { searchTasks } from './search.ts'
import type { Device, Task, Visitor } from './task.ts'

const PHONE: Device = {
  name: 'phone without scripts',
  index: 0,
  width: 390,
  colorScheme: 'light',
  hasScripts: false,
}
const DESKTOP: Device = {
  name: 'desktop',
  index: 1,
  width: 1440,
  colorScheme: 'dark',
  hasScripts: true,
}
const PATIENCE_MS = 20_000

const TASKS: readonly Task[] = [...questionTasks, ...readingTasks, ...searchTasks, ...errorTasks]

/** Results of the tasks, and the pages inspected on the way. */
export type TasksDone = {
  readonly tasks: number
  readonly failedTasks: readonly string[]
  readonly pages: readonly { readonly path: string; readonly inspection: Inspection }[]
}

/** Does every task on a phone without scripts and on a desktop, in both colour schemes. */
export async function runTasks(
  site: Site,
  options: { screenshots?: string | undefined; onProgress: (line: string) => void },
): Promise<TasksDone> {
  const failedTasks: string[] = []
  const pages: TasksDone['pages'][number][] = []
  const plan = [
    ...[PHONE, DESKTOP].flatMap((device) => TASKS.map((task) => ({ device, task }))),
    ...LAST_TASKS.map((task) => ({ device: DESKTOP, task })),
  ]
  for (const { device, task } of plan) {
    const name = `${task.name}, ${device.name}`
    const startedAt = performance.now()
    const context = await openContext(site, device)
    const effort: Effort = { clicks: 0, screens: 0 }
    try {
      await task.run(await visit(context, { site, device, pages, effort, screenshots: options.screenshots }))
    } catch (error) {
      failedTasks.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      await context.close()
    }
    const took = Math.round(performance.now() - startedAt)
    options.onProgress(`task: ${name}: ${effort.clicks} clicks, ${effort.screens} screens, ${took} ms`)
  }
  return { tasks: plan.length, failedTasks, pages }
}

function openContext({ browser }: Site, device: Device): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { width: device.width, height: 900 },
    colorScheme: device.colorScheme,
    javaScriptEnabled: device.hasScripts,
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'X-Forwarded-For': nameClient() },
  })
}

/** Effort of a task: clicks, and screens scrolled on the way. */
type Effort = { clicks: number; screens: number }

type Visit = Pick<Visitor, 'site' | 'device'> & {
  readonly effort: Effort
  readonly pages: TasksDone['pages'][number][]
  readonly screenshots: string | undefined
}

async function visit(
  context: BrowserContext,
  { site, device, pages, effort, screenshots }: Visit,
): Promise<Visitor> {
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const { requests, ...traffic } = watchTraffic(page, site.origin)
  // Screens of the open page that were scrolled through so far.
  let seen = 0
  const probe = async (target: Locator) => {
    await target.waitFor()
    const depth = await target.evaluate((element) => {
      const { top } = element.getBoundingClientRect()
      return Math.max(1, Math.ceil((top + window.scrollY) / window.innerHeight))
    })
    effort.screens += Math.max(0, depth - seen)
    seen = Math.max(depth, seen)
  }
  return {
    page,
    device,
    site,
    async press(target) {
      await probe(target)
      effort.clicks += 1
      const answered = page.waitForResponse((response) => {
        const isDocument = response.request().isNavigationRequest()
        return isDocument && (response.status() < 300 || response.status() >= 400)
      })
      const [response] = await Promise.all([answered, target.click()])
      await page.waitForLoadState('load')
      seen = 0
      return response.status()
    },
    async open(path) {
      seen = 0
      return (await page.goto(site.origin + path))?.status() ?? 0
    },
    see: (text) => probe(page.getByText(text).first()),
    async inspect(name) {
      const { hasScripts, width, index } = device
      const file = screenshots === undefined ? undefined : `${screenshots}/task-${index}-${name}`
      const examined = await examinePage(page, { views: [device], hasScripts, screenshots: file })
      const inspection = {
        // Console and network errors of the tab since the last check.
        faults: { ...examined, ...mapLists(traffic), needsScript: [] },
        htmlBytes: 0,
        requests: 0,
        links: await listLinks(page),
      }
      pages.push({ path: `${name} at ${width} px`, inspection })
    },
  }
}

/** Returns what was collected, and clears it. */
function mapLists<T extends Record<string, string[]>>(lists: T): { [K in keyof T]: string[] } {
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.splice(0)])) as {
    [K in keyof T]: string[]
  }
}
