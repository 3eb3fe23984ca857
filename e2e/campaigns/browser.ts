import { fileURLToPath } from 'node:url'
import type { Faults } from '../browser/inspectPage.ts'
import { inspectSite } from '../browser/inspectSite.ts'
import type { LighthouseScores } from '../browser/lighthouse.ts'

const SCREENSHOTS = fileURLToPath(new URL('../../screenshots', import.meta.url))
const WANTED = { accessibility: 100, bestPractices: 100, performance: 95 }

const tell = (line: string) => process.stderr.write(`${line}\n`)

/**
 * Every page of the site is without faults in a real browser, and every task of a visitor can be done.
 *
 * Walks through the running economy's site in a real browser, page by page and task by task, and asks Lighthouse about a
 * profile. Saves screenshots to `screenshots/`.
 */
export async function run({ short }: { short: boolean }) {
  const site = await inspectSite({
    allProfiles: !short,
    withLighthouse: true,
    screenshots: SCREENSHOTS,
    onProgress: tell,
  })
  const { pages, failedTasks, documentFaults, deadLinks, lighthouse } = site
  const count = (what: keyof Faults) => {
    for (const { path, inspection } of pages) {
      for (const fault of inspection.faults[what]) tell(`${what} at ${path}: ${fault}`)
    }
    return pages.reduce((sum, { inspection }) => sum + inspection.faults[what].length, 0)
  }
  for (const fault of [...failedTasks, ...documentFaults, ...deadLinks]) tell(`failed: ${fault}`)
  for (const audit of lighthouse?.failed ?? []) tell(`lighthouse: ${audit}`)
  const faults = {
    consoleErrors: count('consoleErrors'),
    externalRequests: count('externalRequests'),
    axeSerious: count('axeSerious'),
    injected: count('injected'),
    failedRequests: count('failedRequests'),
    overflows: count('overflows'),
    smallType: count('smallType'),
    needsScript: count('needsScript'),
    deadLinks: deadLinks.length,
    documentFaults: documentFaults.length,
    failedTasks: failedTasks.length,
  }
  const most = (what: 'htmlBytes' | 'requests') =>
    Math.max(...pages.map(({ inspection }) => inspection[what]))
  const figures = {
    pages: pages.length,
    documents: site.documents,
    tasks: site.tasks,
    ...faults,
    mostHtmlBytes: most('htmlBytes'),
    mostRequests: most('requests'),
    lighthouse: lighthouse && scoresOf(lighthouse),
  }
  const isFaultless = Object.values(faults).every((faulty) => faulty === 0)
  const isWhole = pages.length > 60 && site.tasks > 40 && site.documents > 15
  const isLight = figures.mostHtmlBytes < 60_000 && figures.mostRequests < 6
  return { ok: isWhole && isFaultless && isLight && isScoredWell(lighthouse), figures }
}

const scoresOf = ({ accessibility, bestPractices, performance }: LighthouseScores) => ({
  accessibility,
  bestPractices,
  performance,
})

function isScoredWell(scores: LighthouseScores | undefined): boolean {
  const names = Object.keys(WANTED) as (keyof typeof WANTED)[]
  return scores !== undefined && names.every((name) => scores[name] >= WANTED[name])
}
