import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { CLIENT } from '../packages/crash-test/src/testing/commands.ts'
import { placeOf } from './docs/places.ts'
import { listShellLines, ROOT } from './docs/shellLines.ts'
import { runLine } from './docs/startLine.ts'

const lines = [...new Set(listShellLines().map(({ line }) => line))]

const ran = new Map<string, ReturnType<typeof runLine>>()

/** Runs a line in the root folder, once for all lines of the same form. */
function runOnce(line: string) {
  const result = ran.get(line) ?? runLine(line)
  ran.set(line, result)
  return result
}

/**
 * Runs the lines that need neither a service nor a wallet, each in a form that leaves no files behind. Of campaigns and
 * benches the names are compared: the nightly run runs them.
 */
const RUNS: readonly (readonly [RegExp, (line: string) => Promise<void>])[] = [
  [
    /^npm run (bench|campaign)/,
    async (line) => {
      const { code, output } = await runOnce(line.replace(/ -- .*/, ''))
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
      const { code, output } = await runOnce('npm run nightly -- no-such-part')
      expect([code, output]).toEqual([2, expect.stringMatching(new RegExp(`choose from .*\\b${part}\\b`))])
    },
  ],
  [/^npx changeset$/, runChangeset],
  [/^npx @touchstone402\/crash-test /, runCrashTest],
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

/** Folder of the certificate, which a line writes before another one verifies it. */
const folder = mkdtempSync(join(tmpdir(), 'touchstone-crash-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Runs the built command with a careful client as `agent.mjs`, against one seller if the line names none. A certificate
 * is written before a line that verifies it.
 */
async function runCrashTest(line: string) {
  const cwd = folder
  const agent = `process.argv[2] = 'careful'\nawait import(${JSON.stringify(CLIENT)})\n`
  writeFileSync(join(cwd, 'agent.mjs'), agent)
  const bin = `node ${join(ROOT, 'packages/crash-test/bin/crash-test.js')}`
  const [, file] = /^npx @touchstone402\/crash-test verify (\S+)$/.exec(line) ?? []
  if (file && !existsSync(join(cwd, file)))
    await runLine(`${bin} --certificate ${file} --only replay -- node agent.mjs`, { cwd })
  const only = file || line.includes('--only') ? '' : ' --only recipient_redirect'
  const given = line.replace(/^npx @touchstone402\/crash-test/, `${bin}${only}`)
  const { code, output } = await runLine(given, { cwd })
  const said = /2 of 2 honest sellers paid|"controlsPaid": 2|proves no origin/
  expect([code, output]).toEqual([0, expect.stringMatching(said)])
}

test.each(lines.filter((line) => placeOf(line) === 'scripts'))(
  'default: %s',
  { timeout: 120_000 },
  async (line) => {
    const run = RUNS.find(([pattern]) => pattern.test(line))?.[1]
    if (run === undefined) throw new Error(`nothing runs ${line}`)
    await run(line)
  },
)
