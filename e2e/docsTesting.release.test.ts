import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../scripts/docs/shellLines.ts'
import { runLine } from '../scripts/docs/startLine.ts'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { openInstall, openNpm } from './docs/openInstall.ts'
import { takeLines } from './docs/takeLines.ts'

checksNoAnswers('the tests of docs/testing.md, with the service of the guard itself')

const { take, left } = takeLines('testing')
const PAGE = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8')
let npm: Awaited<ReturnType<typeof openNpm>>
/** Folder of a reader, with the guard as it is published and what the page installs beside it. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-tests-'))
  npm = await openNpm(await openInstall())
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const [line = ''] = take(/^npm install /)
  const { code, output } = await runLine(line, { cwd: folder, env: settings() })
  if (code !== 0) throw new Error(output)
})
afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true })
})

/** Settings of npm for the registry of this machine, and a home in which nothing may be left. */
const settings = () => ({
  ...npm,
  HOME: join(folder, 'home'),
  XDG_STATE_HOME: '',
  NO_COLOR: '1',
})

/** Writes the program whose file a paragraph of the page names. Returns the number of its tests. */
async function writeProgram(file: string, language: string): Promise<number> {
  const section = PAGE.slice(PAGE.indexOf(`\n\`${file}\``))
  const [, code = ''] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section) ?? []
  await writeFile(join(folder, file), code)
  return code.match(/^test\(/gm)?.length ?? 0
}

test.each([
  ['weather.test.ts', 'ts', /^npx vitest /, (count: number) => `Tests  ${count} passed (${count})`],
  ['weather.test.mjs', 'js', /^node --test /, (count: number) => `# pass ${count}\n# fail 0`],
] as const)(
  'default: the tests of %s pass in a folder with the guard',
  async (file, language, line, says) => {
    const count = await writeProgram(file, language)
    expect(count).toBeGreaterThan(1)
    for (const one of take(line)) {
      const { code, output } = await runLine(one, { cwd: folder, env: settings() })
      expect([code, output]).toEqual([0, expect.stringContaining(says(count))])
    }
    expect(await readdir(folder)).not.toContain('home')
  },
)

test('default: every line was run', () => {
  expect(left()).toEqual([])
})
