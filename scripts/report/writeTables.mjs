// Writes the tables of CONTRIBUTING.md: `node scripts/report/writeTables.mjs`. What a suite takes is read from the reports
// of whole runs in `.report`; a suite without one keeps its figure.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../setup.mjs'
import { listTests } from '../suites.mjs'
import { readTakes, replacePart, SUITES, writePromises, writeSuites } from './tables.mjs'

const PAGE = join(root, 'CONTRIBUTING.md')

/** Returns the page with both tables. */
export function writeTables(page, { files, takes, promises }) {
  const withSuites = replacePart(page, 'suites', writeSuites(files, takes))
  return replacePart(withSuites, 'promises', writePromises(promises))
}

/** Returns how many tests the report of a suite has, and how long they took; undefined without a report. */
function readTaken(name) {
  const path = join(root, `.report/${name}.json`)
  if (!existsSync(path)) return undefined
  const { startTime, testResults, numTotalTests } = JSON.parse(readFileSync(path, 'utf8'))
  const seconds = Math.round((Math.max(...testResults.map(({ endTime }) => endTime)) - startTime) / 1000)
  return `${seconds} s (${numTotalTests} tests)`
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const page = readFileSync(PAGE, 'utf8')
  const measured = SUITES.flatMap(({ name }) => {
    const taken = readTaken(name)
    return taken === undefined ? [] : [[name, taken]]
  })
  const promises = JSON.parse(readFileSync(join(root, 'scripts/report/promises.json'), 'utf8'))
  const takes = { ...readTakes(page), ...Object.fromEntries(measured) }
  writeFileSync(PAGE, writeTables(page, { files: listTests(), takes, promises }))
}
