import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { placeOf, unusedPlaces } from './docs/places.ts'
import { listShellLines, PAGES, ROOT, shellLinesOf } from './docs/shellLines.ts'

const shell = listShellLines()
const lines = [...new Set(shell.map(({ line }) => line))]
const linesAt = (place: string) => lines.filter((line) => placeOf(line) === place)

/** Runs a line as a shell does, with nothing but these settings; `until` ends it once it has said that. */
async function runLine(line: string, { cwd = ROOT, until = undefined as RegExp | undefined } = {}) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, CI: '1' }
  // A group of its own, so that all of it can be ended.
  const child = spawn('sh', ['-c', `exec ${line}`], { cwd, env, detached: true })
  let output = ''
  const hear = (chunk: unknown) => {
    output += String(chunk)
    if (until?.test(output) && child.pid !== undefined) process.kill(child.pid, 'SIGINT')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

describe('shell lines of the pages', () => {
  test('default: each is run somewhere, and nothing is kept for a line that is gone', () => {
    expect(shell.filter(({ line }) => placeOf(line) === undefined)).toEqual([])
    expect(unusedPlaces(lines)).toEqual([])
    expect(PAGES).toEqual(
      expect.arrayContaining(['README.md', 'docs/operations.md', 'packages/guard/README.md']),
    )
  })

  test('behavior: lines are found in fences, in indented code and in running text', () => {
    const page =
      'Run `npm test` or `a.ts`.\n\n    export A=b\n    tree/\n\n```sh\ncurl a  # why\n# only this\n\n```\n'
    expect(shellLinesOf(page)).toEqual(['curl a', 'export A=b', 'npm test'])
    expect(placeOf('curl a')).toBeUndefined()
  })

  test.each(linesAt('ci'))('default: .ci/run runs %s', (line) => {
    expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(new RegExp(`^(step|if !) ${line}( |$)`, 'm'))
  })
})

/** How the lines that need neither a service nor a wallet are run; each in the form that leaves nothing behind. */
const RUNS: readonly (readonly [RegExp, (line: string) => Promise<void>])[] = [
  [
    /^npm run (bench|campaign)/,
    async (line) => {
      const { code, output } = await runLine(line.replace(/ -- <name>/, ''))
      const [, kind] = /^npm run (\w+)/.exec(line) ?? []
      expect([code, output]).toEqual([
        2,
        expect.stringContaining(`usage: npm run ${kind} -- <name>, one of `),
      ])
      const names = /one of (.*)$/m.exec(output)?.[1]?.split(', ') ?? []
      // The pages name some of them.
      const named = lines.flatMap(
        (other) => new RegExp(`^npm run ${kind} -- (\\w[\\w-]*)$`).exec(other)?.[1] ?? [],
      )
      expect(names).toEqual(expect.arrayContaining(named))
    },
  ],
  [
    /^npx vitest /,
    async (line) => {
      // Without -u, which would write what the test is there to compare.
      const { code, output } = await runLine(line.replace(/ -u$/, ''))
      expect([code, output]).toEqual([0, expect.stringMatching(/Tests.*passed/)])
    },
  ],
  [/^npx changeset$/, runChangeset],
  [
    /^npm run build:usdc$/,
    async (line) => {
      const cwd = join(ROOT, 'examples/economy')
      const read = () =>
        readdirSync(join(cwd, 'src/chain'), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      const before = read()
      const { code } = await runLine(line, { cwd })
      expect(code).toBe(0)
      expect(read()).toEqual(before)
    },
  ],
  [
    /^node --import tsx /,
    async (line) => {
      const { code, output } = await runLine(line, { until: /Press Ctrl-C/ })
      expect([code, output]).toEqual([0, expect.stringContaining('http://honest-v2.localhost:')])
    },
  ],
]

/** In a repository of its own; an empty changeset is the one that asks nothing. */
async function runChangeset(line: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'touchstone-changeset-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  mkdirSync(join(cwd, '.changeset'))
  cpSync(join(ROOT, '.changeset/config.json'), join(cwd, '.changeset/config.json'))
  cpSync(join(ROOT, 'package.json'), join(cwd, 'package.json'))
  mkdirSync(join(cwd, 'packages/guard'), { recursive: true })
  cpSync(join(ROOT, 'packages/guard/package.json'), join(cwd, 'packages/guard/package.json'))
  writeFileSync(join(cwd, 'pnpm-workspace.yaml'), 'packages: [packages/*]\n')
  await runLine('git init -q -b main', { cwd })
  const bin = join(ROOT, 'node_modules/.bin/changeset')
  const { output } = await runLine(`${line.replace(/^npx changeset/, bin)} --empty`, { cwd })
  expect(readdirSync(join(cwd, '.changeset')), output).toHaveLength(2)
}

test.each(linesAt('scripts'))('default: %s', { timeout: 120_000 }, async (line) => {
  const run = RUNS.find(([pattern]) => pattern.test(line))?.[1]
  if (run === undefined) throw new Error(`nothing runs ${line}`)
  await run(line)
})
