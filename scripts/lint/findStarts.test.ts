import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStartFinder } from './findStarts.ts'
import { judgeStarts } from './judgeStarts.ts'
import { STARTERS } from './pushStarts.ts'

const SUPPORT = `
import { spawn } from 'node:child_process'
export const openTool = () => spawn('tool')
export function useTool() { return openTool() }
export const format = (text: string) => text
export { startApp as startService } from '../packages/server/src/services.ts'
`

/** Returns what a test of the given text starts. */
function startsOf(text: string, shared: readonly string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'touchstone-starts-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const files = {
    'packages/server/src/services.ts': 'export const startApp = () => {}',
    'e2e/support.ts': SUPPORT,
    'e2e/through.ts': "export * from './support.ts'",
    'e2e/loaded.ts': "import { openTool } from './support.ts'\nawait openTool()",
    'e2e/a.test.ts': text,
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return createStartFinder({ root, starters: STARTERS, shared })('e2e/a.test.ts')
}
const whatOf = (text: string) => startsOf(text).map(({ what }) => what)

test.each([
  ['a call', "import { spawn } from 'node:child_process'\nspawn('ls')"],
  ['a renamed import', "import { execFile as run } from 'node:child_process'\ntest('', () => run('ls'))"],
  ['a namespace', "import * as processes from 'node:child_process'\nprocesses.fork('a.js')"],
  ['a default import', "import processes from 'node:child_process'\nprocesses.fork('a.js')"],
  ['a dynamic import', "const { spawn } = await import('node:child_process')\nspawn('ls')"],
  [
    'a value that is passed on',
    "import { execFile } from 'node:child_process'\nconst run = promisify(execFile)",
  ],
  ['a helper', "import { openTool } from './support.ts'\nbeforeAll(() => openTool())"],
  ['a helper of a helper', "import { useTool } from './support.ts'\nconst tool = useTool()"],
  ['a module that passes all on', "import { useTool } from './through.ts'\nuseTool()"],
  ['an import for its statements', "import './loaded.ts'"],
  [
    'its own function',
    "import { openTool } from './support.ts'\nconst open = () => openTool()\ntest('', open)",
  ],
])('default: finds a process behind %s', (_, text) => {
  expect(whatOf(text)).toEqual(['a process'])
})

test('default: finds services and browsers, and tells how the test gets there', () => {
  const text = `
    import { chromium } from 'playwright-core'
    import { startService } from './through.ts'
    const open = async () => [await chromium.launch(), await startService()]
    test('', open)`
  expect(startsOf(text)).toEqual([
    { what: 'a browser', path: ['e2e/a.test.ts#<module>', 'e2e/a.test.ts#open', 'playwright-core#chromium'] },
    {
      what: 'a service',
      path: ['e2e/a.test.ts#<module>', 'e2e/a.test.ts#open', 'packages/server/src/services.ts#startApp'],
    },
  ])
})

test.each([
  ['words', "// spawn('ls')\nconst text = 'spawn fork startApp'"],
  ['a type', "import type { spawn } from 'node:child_process'\ntype Spawn = typeof spawn"],
  ['an import that is not used', "import { spawn } from 'node:child_process'"],
  ['another function of the module', "import { format } from './support.ts'\nformat('a')"],
  ['a method of the same name', 'const tool = { spawn() {} }\ntool.spawn()'],
  ['a property of the same name', 'const options = { spawn: true }'],
])('behavior: %s starts nothing', (_, text) => {
  expect(whatOf(text)).toEqual([])
})

test('behavior: a file may use what the files of a worker share', () => {
  const text = "import { useTool } from './support.ts'\nuseTool()"
  expect(startsOf(text, ['e2e/support.ts#useTool'])).toEqual([])
})

const START = { what: 'a process', path: ['e2e/a.test.ts#<module>', 'node:child_process#spawn'] }
const RULE = { exceptions: { 'e2e/b.test.ts': 'why' }, mostEndToEnd: 1, mostUnit: 0 }

test('default: an exception may start something, and nothing else may', () => {
  const starts = new Map([
    ['e2e/b.test.ts', [START]],
    ['packages/c.test.ts', []],
  ])
  expect(judgeStarts(starts, RULE)).toEqual([])
  expect(judgeStarts(new Map([...starts, ['e2e/a.test.ts', [START]]]), RULE)).toEqual([
    'e2e/a.test.ts starts a process of its own (node:child_process#spawn); use what its worker shares, or name it *.release.test.ts',
  ])
})

test('error: an exception that starts nothing, or one too many, is a violation', () => {
  expect(judgeStarts(new Map([['e2e/b.test.ts', []]]), RULE)).toEqual([
    'e2e/b.test.ts is an exception, but starts nothing',
  ])
  const exceptions = { ...RULE.exceptions, 'packages/c.test.ts': 'why' }
  const starts = new Map(Object.keys(exceptions).map((file) => [file, [START]]))
  expect(judgeStarts(starts, { ...RULE, exceptions })).toEqual(['1 unit tests are exceptions; 0 may be'])
})
