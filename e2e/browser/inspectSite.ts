import { mkdir } from 'node:fs/promises'
import { checkLinks } from './checkLinks.ts'
import { FEW_VIEWS, VIEWS } from './examinePage.ts'
import { type Inspection, inspectPage } from './inspectPage.ts'
import { type LighthouseScores, measureLighthouse } from './lighthouse.ts'
import { listDocuments, listVisits } from './listVisits.ts'
import { nameClient } from './nameClient.ts'
import { openSite, type Site } from './openSite.ts'
import { runTasks, type TasksDone } from './tasks/runTasks.ts'

type InspectedPage = { readonly path: string; readonly inspection: Inspection }

/** Result of inspecting the whole site. */
export type SiteInspection = TasksDone & {
  /** Documents that are no pages, and one line for each fault of one. */
  readonly documents: number
  readonly documentFaults: readonly string[]
  /** Links within the site that lead nowhere, one line each. */
  readonly deadLinks: readonly string[]
  /** Undefined unless asked for. */
  readonly lighthouse: LighthouseScores | undefined
}

type Options = {
  /** Inspects all profiles, and each page in four views, instead of one profile of each kind in two. */
  readonly allProfiles: boolean
  /** Asks Lighthouse about a profile. @default false */
  readonly withLighthouse?: boolean
  /** Folder for screenshots. @default no screenshots */
  readonly screenshots?: string
  readonly onProgress?: (line: string) => void
}

/** Walks through a service that audits the whole economy, a few hostile and a few slow sellers. */
export async function inspectSite(options: Options): Promise<SiteInspection> {
  const { onProgress = () => {}, screenshots } = options
  const site = await openSite(onProgress)
  try {
    if (screenshots !== undefined) await mkdir(screenshots, { recursive: true })
    const profile = `/services/${encodeURIComponent(site.economy.sellers['honest-v2']?.host ?? '')}`
    const lighthouse =
      options.withLighthouse === true ? await measureLighthouse(site.origin + profile) : undefined
    const visited = await inspectPages(site, options)
    const documents = listDocuments(site)
    const documentFaults = await checkDocuments(site, documents)
    const done = await runTasks(site, { screenshots, onProgress })
    const pages = [...visited, ...done.pages]
    const deadLinks = await checkLinks(site.origin, gatherLinks(pages))
    const found = { documents: documents.length, documentFaults, deadLinks, lighthouse }
    return { ...done, ...found, pages }
  } finally {
    await site.stop()
  }
}

async function inspectPages(site: Site, options: Options): Promise<InspectedPage[]> {
  const { onProgress = () => {}, screenshots, allProfiles } = options
  const open = (javaScriptEnabled: boolean) =>
    site.browser.newContext({
      reducedMotion: 'reduce',
      javaScriptEnabled,
      extraHTTPHeaders: { 'X-Forwarded-For': nameClient() },
    })
  const [context, plain] = [await open(true), await open(false)]
  const pages: InspectedPage[] = []
  for (const { path, name, wantedStatus } of await listVisits(site, allProfiles)) {
    const inspection = await inspectPage(context, site.origin + path, {
      plain,
      views: allProfiles ? VIEWS : FEW_VIEWS,
      ...(wantedStatus !== undefined && { wantedStatus }),
      ...(screenshots !== undefined && { screenshots: `${screenshots}/${name}` }),
    })
    pages.push({ path, inspection })
    onProgress(`${path.slice(0, 90)}: ${inspection.htmlBytes} bytes`)
  }
  return pages
}

/** Opens documents other than pages. The recording of the run checks their content. */
async function checkDocuments({ browser, origin }: Site, paths: readonly string[]): Promise<string[]> {
  const context = await browser.newContext({ acceptDownloads: false })
  const faults: string[] = []
  for (const path of paths) {
    const response = await context.request.get(origin + path)
    if (!response.ok()) faults.push(`${path} is ${response.status()}`)
  }
  await context.close()
  return faults
}

function gatherLinks(pages: readonly InspectedPage[]): Map<string, string> {
  return new Map(
    pages.flatMap(({ path, inspection }) => inspection.links.map((link) => [link, path] as const)),
  )
}
