import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from './docs/shellLines.ts'

const PACKAGES = ['shared', 'transfers', 'guard', 'crash-test', 'server']
// Stands in for pnpm: logs each call and leaves the files that an install or a build leaves.
const NPX = `#!/bin/sh
echo "$*" >> calls.log
case "$*" in
  *" install "*) mkdir -p node_modules/.pnpm ;;
  *" run build") [ ! -f broken ] && mkdir -p "$4/dist" && touch "$4/dist/index.d.ts" ;;
esac
`

/** Opens a fresh clone whose installs and builds are only logged. */
function openClone() {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-clone-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true })
  for (const path of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'docs/openapi.json']) write(path, path)
  for (const name of PACKAGES) {
    write(`packages/${name}/package.json`, '{}')
    write(`packages/${name}/src/index.ts`, '')
  }
  write('bin/npx', NPX)
  chmodSync(join(folder, 'bin/npx'), 0o755)
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
  return {
    write,
    /** Runs an npm script and returns what it installed and built. */
    async npmRun(name: string) {
      write('calls.log', '')
      await promisify(execFile)('npm', ['run', name], { cwd: folder, env })
      const calls = readFileSync(join(folder, 'calls.log'), 'utf8').trim().split('\n').filter(Boolean)
      return calls.map(
        (call) =>
          /packages\/([\w-]+) run build$/.exec(call)?.[1] ?? (/ install /.test(call) ? 'install' : call),
      )
    },
  }
}

test('default: npm run setup installs and builds once', async () => {
  const { npmRun } = openClone()
  const [install, first, ...rest] = await npmRun('setup')
  expect([install, first]).toEqual(['install', 'shared'])
  expect([...rest].sort()).toEqual(['crash-test', 'guard', 'server', 'transfers'])
  expect(rest.indexOf('server')).toBeGreaterThan(rest.indexOf('transfers'))
  expect(await npmRun('setup')).toEqual([])
})

test('behavior: npm run build always builds, and nothing builds again after it', async () => {
  const { npmRun } = openClone()
  expect(await npmRun('build')).toHaveLength(6)
  expect(await npmRun('setup')).toEqual([])
  expect(await npmRun('build')).toHaveLength(5)
  expect(await npmRun('setup')).toEqual([])
})

test('behavior: a changed source, manifest or OpenAPI document causes a build', async () => {
  const { npmRun, write } = openClone()
  await npmRun('setup')
  for (const path of [
    'packages/shared/src/index.ts',
    'packages/transfers/src/new.ts',
    'packages/guard/tsup.config.ts',
    'packages/server/package.json',
    'docs/openapi.json',
  ]) {
    write(path, 'changed')
    expect(await npmRun('setup'), path).toHaveLength(5)
  }
  write('packages/shared/src/index.test.ts', 'changed')
  expect(await npmRun('setup')).toEqual([])
})

test('error: a failed build fails the command and is repeated by the next', async () => {
  const { npmRun, write } = openClone()
  write('broken', '')
  await expect(npmRun('build')).rejects.toThrow('building packages failed')
  await expect(npmRun('setup')).rejects.toThrow('building packages failed')
})
