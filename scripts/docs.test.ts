import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { placeOf, unusedPlaces } from './docs/places.ts'
import { listShellLines, PAGES, ROOT, shellLinesOf } from './docs/shellLines.ts'

const shell = listShellLines()
const lines = [...new Set(shell.map(({ line }) => line))]
const linesAt = (place: string) => lines.filter((line) => placeOf(line) === place)

/** Runs a line in a shell with a minimal environment. */
async function runLine(line: string, { cwd = ROOT } = {}) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, CI: '1' }
  const child = spawn('sh', ['-c', `exec ${line}`], { cwd, env })
  let output = ''
  const hear = (chunk: unknown) => {
    output += String(chunk)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

describe('shell lines of the docs', () => {
  test('default: every line has a place that runs it, and every place a line', () => {
    expect(shell.filter(({ line }) => placeOf(line) === undefined)).toEqual([])
    expect(unusedPlaces(lines)).toEqual([])
    expect(PAGES).toEqual(
      expect.arrayContaining(['README.md', 'docs/operations.md', 'packages/guard/README.md']),
    )
  })

  test('behavior: finds lines in fenced blocks, indented code and inline code', () => {
    const page =
      'Run `npm test` or `a.ts`.\n\n    export A=b\n    tree/\n\n```sh\ncurl a  # why\n# only this\n\n```\n'
    expect(shellLinesOf(page)).toEqual(['curl a', 'export A=b', 'npm test'])
    expect(placeOf('curl a')).toBeUndefined()
  })

  test.each(['CONTRIBUTING.md', 'SECURITY.md'])('default: every test file that %s names exists', (page) => {
    const named = readFileSync(join(ROOT, page), 'utf8').match(/[\w./-]+\.test\.ts/g) ?? []
    expect(named.filter((path) => path.includes('/') && !existsSync(join(ROOT, path)))).toEqual([])
  })

  test.each([
    ['campaign', 'e2e/campaigns'],
    ['bench', 'bench'],
  ])('default: every %s that a page names exists', (kind, folder) => {
    const mention = new RegExp(
      `\\b(?:${kind}e?s? |npm run ${kind} -- (?=\\w))((?:\`?[\\w-]+\`(?:, | and )?)+)`,
      'g',
    )
    const named = PAGES.flatMap((page) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(mention)].flatMap(([, list = '']) =>
        [...list.matchAll(/([\w-]+)`/g)].map(([, name]) => join(ROOT, folder, String(name))),
      ),
    )
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((path) => !existsSync(path) && !existsSync(`${path}.ts`))).toEqual([])
  })

  test.each(linesAt('ci'))('default: .ci/run runs %s', (line) => {
    expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(
      new RegExp(`^ *(step|if !) ${line}( |$)`, 'm'),
    )
  })

  test.each(linesAt('suite'))('default: the suite covers %s', (line) => {
    const paths = line.match(/\S+\.ts\b/g) ?? []
    const tests = paths.map((path) => path.replace(/(?<!\.test)\.ts$/, '.test.ts'))
    expect(tests.length).toBeGreaterThan(0)
    for (const path of tests) {
      // These folders are the `unit` project of vitest.config.ts.
      expect(path).toMatch(/^(packages|examples)\/[^/]+\/src\//)
      expect(existsSync(join(ROOT, path)), path).toBe(true)
    }
  })
})

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

test('default: every link between files leads to a file, and to a heading of it', () => {
  const broken = PAGES.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(
      ([link, path = '', anchor]) => {
        const file = path === '' ? join(ROOT, page) : join(ROOT, page, '..', path)
        if (!existsSync(file)) return [`${page}: ${link}`]
        const isFound = anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor)
        return isFound ? [] : [`${page}: ${link}`]
      },
    ),
  )
  expect(broken).toEqual([])
})

test('default: the skill has the form that agents load', () => {
  const text = readFileSync(join(ROOT, 'skills/touchstone/SKILL.md'), 'utf8')
  const [, head = ''] = /^---\n([\s\S]+?)\n---\n/.exec(text) ?? []
  const fields = Object.fromEntries(head.split('\n').map((line) => line.split(/: (.*)/)))
  // Source: https://agentskills.io/specification
  expect(fields).toEqual({
    name: 'touchstone',
    description: expect.stringMatching(/^.{1,1024}$/),
    license: 'MIT',
    compatibility: expect.stringMatching(/^.{1,500}$/),
  })
  // A colon and a space would begin another mapping in YAML.
  for (const value of Object.values(fields)) expect(value).not.toMatch(/: | #/)
})

/**
 * Runs the lines that need neither a service nor a wallet, each in a form that leaves no files behind. Of campaigns and
 * benches the names are compared: the nightly run runs them.
 */
const RUNS: readonly (readonly [RegExp, (line: string) => Promise<void>])[] = [
  [
    /^npm run (bench|campaign)/,
    async (line) => {
      const { code, output } = await runLine(line.replace(/ -- .*/, ''))
      const [, kind] = /^npm run (\w+)/.exec(line) ?? []
      expect([code, output]).toEqual([
        2,
        expect.stringContaining(`usage: npm run ${kind} -- <name>, one of `),
      ])
      const names = /one of (.*)$/m.exec(output)?.[1]?.split(', ') ?? []
      const named = lines.flatMap(
        (other) => new RegExp(`^npm run ${kind} -- (\\w[\\w-]*)(?: --\\w+ \\d+)*$`).exec(other)?.[1] ?? [],
      )
      expect(names).toEqual(expect.arrayContaining(named))
    },
  ],
  [
    /^npm run nightly/,
    async (line) => {
      const [, part = 'tests'] = / -- (\w+)$/.exec(line) ?? []
      // A wrong name lists the parts.
      const { code, output } = await runLine('npm run nightly -- no-such-part')
      expect([code, output]).toEqual([2, expect.stringMatching(new RegExp(`choose from .*\\b${part}\\b`))])
    },
  ],
  [/^npx changeset$/, runChangeset],
  [
    /^npm run release/,
    async (line) => {
      const { code, output } = await runLine(line)
      expect([code, output]).toEqual([0, expect.stringContaining('@touchstone402/crash-test@')])
    },
  ],
  [/^npx @touchstone402\/crash-test /, runCrashTest],
  [
    /^npm run build:contracts$/,
    async (line) => {
      // The committed artifacts are what the sources compile to.
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
]

/** Runs in a temporary repository. An empty changeset asks no questions. */
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

const CAREFUL = join(ROOT, 'packages/crash-test/src/testing/client.mjs')

/**
 * Runs the built command with a careful client as `agent.mjs`, against one seller if the line names none. A certificate
 * is written before a line that verifies it.
 */
async function runCrashTest(line: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'touchstone-crash-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const agent = `process.argv[2] = 'careful'\nawait import(${JSON.stringify(CAREFUL)})\n`
  writeFileSync(join(cwd, 'agent.mjs'), agent)
  const bin = `node ${join(ROOT, 'packages/crash-test/bin/crash-test.js')}`
  const [, file] = /^npx @touchstone402\/crash-test verify (\S+)$/.exec(line) ?? []
  if (file) await runLine(`${bin} --certificate ${file} --only replay -- node agent.mjs`, { cwd })
  const only = file || line.includes('--only') ? '' : ' --only recipient_redirect'
  const given = line.replace(/^npx @touchstone402\/crash-test/, `${bin}${only}`)
  const { code, output } = await runLine(given, { cwd })
  const said = /2 of 2 honest sellers paid|"controlsPaid": 2|proves no origin/
  expect([code, output]).toEqual([0, expect.stringMatching(said)])
}

test.each(linesAt('scripts'))('default: %s', { timeout: 120_000 }, async (line) => {
  const run = RUNS.find(([pattern]) => pattern.test(line))?.[1]
  if (run === undefined) throw new Error(`nothing runs ${line}`)
  await run(line)
})
