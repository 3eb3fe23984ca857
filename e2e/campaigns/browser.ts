import { fileURLToPath } from 'node:url'
import type { Inspection } from '../browser/inspectPage.ts'
import { inspectSite } from '../browser/inspectSite.ts'

const SCREENSHOTS = fileURLToPath(new URL('../../screenshots', import.meta.url))

/** Inspects every page over the running economy in a real browser. Saves screenshots to `screenshots/`. */
export async function run({ short }: { short: boolean }) {
  const { pages, failedTasks, firstByte } = await inspectSite({
    allProfiles: !short,
    screenshots: SCREENSHOTS,
    onProgress: (line) => process.stderr.write(`${line}\n`),
  })
  const count = (what: Exclude<keyof Inspection, 'htmlBytes' | 'requests'>) => {
    for (const { path, inspection } of pages) {
      for (const fault of inspection[what]) process.stderr.write(`${what} at ${path}: ${fault}\n`)
    }
    return pages.reduce((sum, { inspection }) => sum + inspection[what].length, 0)
  }
  for (const task of failedTasks) process.stderr.write(`failed: ${task}\n`)
  const faults = {
    consoleErrors: count('consoleErrors'),
    externalRequests: count('externalRequests'),
    axeSerious: count('axeSerious'),
    injected: count('injected'),
    failedRequests: count('failedRequests'),
    overflows: count('overflows'),
    failedTasks: failedTasks.length,
  }
  const most = (what: 'htmlBytes' | 'requests') =>
    Math.max(...pages.map(({ inspection }) => inspection[what]))
  const figures = {
    pages: pages.length,
    ...faults,
    mostHtmlBytes: most('htmlBytes'),
    mostRequests: most('requests'),
    profileFirstByteMs: firstByte.pageMs,
    healthzFirstByteMs: firstByte.healthMs,
  }
  return { ok: pages.length > 0 && Object.values(faults).every((faulty) => faulty === 0), figures }
}
