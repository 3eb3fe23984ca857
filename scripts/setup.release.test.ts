import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from './docs/shellLines.ts'

const PACKAGES = ['transparency', 'shared', 'transfers', 'guard', 'crash-test', 'server']
// Stand-ins for the programs of a build: each logs its call and leaves the files that the real one leaves.
const NPX = `#!/bin/sh
echo "install" >> calls.log
mkdir -p node_modules/.pnpm
`
const TSUP = `#!/bin/sh
echo "bundle $(basename "$PWD")" >> ../../calls.log
[ ! -f ../../broken ] && mkdir dist && touch dist/index.js
`
const TSC = `#!/bin/sh
echo "declarations" >> calls.log
for name in guard crash-test; do mkdir -p .cache/types/$name/src && touch .cache/types/$name/src/index.d.ts; done
`
const CONTRACT = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
appendFileSync('calls.log', 'contract\\n')
mkdirSync('packages/guard/generated', { recursive: true })
writeFileSync('packages/guard/generated/openapi.ts', '')`
const TYPES = `import { appendFileSync, writeFileSync } from 'node:fs'
appendFileSync('calls.log', 'types\\n')
for (const name of ['guard', 'crash-test', 'shared', 'transfers', 'transparency']) writeFileSync(\`packages/\${name}/dist/index.d.ts\`, '')`

/** Opens a fresh clone whose installs and builds are only logged. */
function openClone() {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-clone-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const writeProgram = (path: string, text: string) => {
    write(path, text)
    chmodSync(join(folder, path), 0o755)
  }
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true })
  const tsconfigs = ['tsconfig.json', 'tsconfig.base.json', 'tsconfig.types.json']
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...tsconfigs]) write(name, name)
  write('docs/openapi.json', '{}')
  for (const name of PACKAGES) {
    write(`packages/${name}/package.json`, '{}')
    write(`packages/${name}/src/index.ts`, '')
  }
  write('packages/guard/writeContractTypes.mjs', CONTRACT)
  write('scripts/writeTypes.mjs', TYPES)
  writeProgram('bin/npx', NPX)
  writeProgram('node_modules/.bin/tsup', TSUP)
  writeProgram('node_modules/.bin/tsc', TSC)
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
  return {
    write,
    remove: (path: string) => rmSync(join(folder, path), { recursive: true }),
    /** Runs an npm script, without npm's own start. Returns the steps that ran and what the script printed. */
    async npmRun(name: string) {
      write('calls.log', '')
      const { stderr } = await promisify(execFile)(process.execPath, ['scripts/run.mjs', name], {
        cwd: folder,
        env,
      })
      return {
        steps: readFileSync(join(folder, 'calls.log'), 'utf8').trim().split('\n').filter(Boolean),
        stderr,
      }
    },
  }
}

test('default: npm run setup installs and builds once, and prints the seconds of each step', async () => {
  const { npmRun } = openClone()
  const { steps, stderr } = await npmRun('setup')
  expect(steps.slice(0, 2)).toEqual(['install', 'contract'])
  expect(steps.slice(2, -1).sort()).toEqual(
    [...PACKAGES.map((name) => `bundle ${name}`), 'declarations'].sort(),
  )
  expect(steps.at(-1)).toBe('types')
  expect(stderr.match(/^ {2}\S.*: \d+\.\d s$/gm)).toHaveLength(9)
  expect(stderr).toMatch(/^building packages: done in \d+\.\d s$/m)
  expect(await npmRun('setup')).toEqual({ steps: [], stderr: '' })
})

test('behavior: npm run build says that nothing changed', async () => {
  const { npmRun } = openClone()
  expect((await npmRun('build')).steps).toHaveLength(10)
  expect(await npmRun('build')).toEqual({ steps: [], stderr: 'building packages: nothing changed\n' })
})

test('behavior: commands that run JavaScript alone leave the types to the others', async () => {
  const { npmRun, write } = openClone()
  write('packages/server/bin/touchstone-server.js', '')
  const bundles = PACKAGES.map((name) => `bundle ${name}`)
  expect((await npmRun('serve')).steps.sort()).toEqual([...bundles, 'contract', 'install'].sort())
  expect((await npmRun('setup')).steps).toEqual(['declarations', 'types'])
  expect((await npmRun('serve')).steps).toEqual([])
})

test('behavior: a change builds what depends on it', async () => {
  const { npmRun, write } = openClone()
  await npmRun('setup')
  const all = PACKAGES.map((name) => `bundle ${name}`)
  for (const [path, expected] of [
    [
      'packages/transparency/src/index.ts',
      [...all.filter((step) => step !== 'bundle shared'), 'declarations', 'types'],
    ],
    [
      'packages/shared/src/index.ts',
      [...all.filter((step) => step !== 'bundle transparency'), 'declarations', 'types'],
    ],
    ['packages/transfers/src/new.ts', ['bundle transfers', 'bundle server', 'declarations', 'types']],
    ['packages/guard/tsup.config.ts', ['bundle guard', 'bundle crash-test', 'declarations', 'types']],
    ['packages/server/package.json', ['bundle server']],
    ['docs/openapi.json', ['contract', 'bundle guard', 'bundle crash-test', 'declarations', 'types']],
    ['tsconfig.types.json', ['declarations', 'types']],
    ['tsconfig.json', ['contract', ...all, 'declarations', 'types']],
    ['packages/shared/src/index.test.ts', []],
  ] as const) {
    write(path, 'changed')
    expect((await npmRun('setup')).steps.sort(), path).toEqual([...expected].sort())
  }
})

test('behavior: builds again what was removed', async () => {
  const { npmRun, remove } = openClone()
  await npmRun('setup')
  remove('packages/guard/dist')
  expect((await npmRun('setup')).steps).toEqual(['bundle guard', 'types'])
  remove('packages/guard/generated')
  expect((await npmRun('setup')).steps).toEqual(['contract'])
})

test('error: a failed build fails the command and is repeated by the next', async () => {
  const { npmRun, write, remove } = openClone()
  write('broken', '')
  await expect(npmRun('build')).rejects.toThrow('building JavaScript of guard failed')
  await expect(npmRun('setup')).rejects.toThrow('building JavaScript of guard failed')
  remove('broken')
  expect((await npmRun('setup')).steps).toContain('bundle guard')
})
