// The tables of suites and of promises in CONTRIBUTING.md.
import { suiteOf } from '../suites.mjs'

/** Suites in the order of the table. Measured figures come from the report of a whole run. */
export const SUITES = [
  {
    name: 'push',
    command: 'npm test',
    holds:
      'unit and contract tests; the journeys end to end: pay, refuse, audit, sell, token answers, attacks; one page smoke',
  },
  {
    name: 'release',
    command: 'npm run test:release',
    holds:
      'what is packed, installed, started as a process, opened in a browser, run on PostgreSQL or by an operator; shell lines of the docs; old Node',
  },
  {
    name: 'check',
    command: 'npm run check',
    holds:
      'types, lint, import rules, what push tests start, unused code, the published packages and their sizes, guard, shared and the log on Node 24',
  },
  {
    name: 'nightly',
    command: 'npm run nightly',
    holds:
      'whole campaigns and benches, the walk through every page, fuzzing a hundred times as long, everything on Node 24',
  },
]

/**
 * Writes the table of suites.
 * @param files test files
 * @param takes what a suite took when it was measured, by its name
 */
export function writeSuites(files, takes) {
  const rows = SUITES.map(({ name, command, holds }) => {
    const count = files.filter((file) => suiteOf(file) === name).length
    return [name, `\`${command}\``, holds, count === 0 ? '' : count, takes[name] ?? '']
  })
  return toTable(['suite', 'command', 'holds', 'files', 'takes'], rows)
}

/** Reads what each suite took from a page with the table. */
export function readTakes(page) {
  const names = SUITES.map(({ name }) => name).join('|')
  const rows = page.matchAll(new RegExp(`^\\| (${names}) \\|.*\\| ([^|]*) \\|$`, 'gm'))
  return Object.fromEntries([...rows].map(([, name, takes]) => [name, takes]))
}

/** Writes the table of promises, with the tests that hold each and the suites that these are part of. */
export function writePromises(promises) {
  const rows = promises.map(({ promise, tests, campaigns = [] }) => {
    const named = [
      ...tests.map((test) => `\`${test}\``),
      ...(campaigns.length === 0
        ? []
        : [
            `campaign${campaigns.length === 1 ? '' : 's'} ${campaigns.map((name) => `\`${name}\``).join(', ')}`,
          ]),
    ]
    const suites = new Set([...tests.map(suiteOf), ...(campaigns.length === 0 ? [] : ['nightly'])])
    return [promise, named.join(', '), [...suites].join(', ')]
  })
  return toTable(['promise', 'held by', 'suites'], rows)
}

/** Replaces the part of a page between two markers. @throws Error if the page has no such part */
export function replacePart(page, name, text) {
  const part = new RegExp(`(<!-- ${name}:[^>]*-->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
  if (!part.test(page)) throw new Error(`the page has no part ${name}`)
  return page.replace(part, (_, start, end) => `${start}\n${text}\n\n${end}`)
}

function toTable(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
