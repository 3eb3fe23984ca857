import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../scripts/docs/shellLines.ts'
import { startBuiltServer } from './support/builtServer.ts'
import { ALONE } from './support/settings.ts'

/** Size that the image may add to its base, in MB. */
const LIMIT_MB = 150

const run = promisify(execFile)
let folder = ''
let printed = ''

/** Installs as the Dockerfile does, into a folder of this test. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-production-'))
  const service = join(folder, 'service')
  const [dockerfile, manifest] = await Promise.all(
    ['Dockerfile', 'package.json'].map((name) => readFile(join(ROOT, name), 'utf8')),
  )
  const [, deploy = ''] = /&& pnpm (.* deploy .*) \/service/.exec(dockerfile ?? '') ?? []
  const [, prune = ''] = /&& node (\S+) \/service/.exec(dockerfile ?? '') ?? []
  const { packageManager } = JSON.parse(manifest ?? '')
  await run('npx', ['--yes', packageManager, ...deploy.split(' '), '--prefer-offline', service], {
    cwd: ROOT,
  })
  printed = (await run(process.execPath, [prune, service], { cwd: ROOT })).stdout
}, 240_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test('default: the production install is small', async () => {
  const { stdout } = await run('du', ['-sm', join(folder, 'service')])
  const size = Number(stdout.split('\t')[0])
  expect(size).toBeGreaterThan(20)
  expect(size).toBeLessThan(LIMIT_MB)
  // Without the step it would not be.
  expect(Number(/^(\d+) MB before/.exec(printed)?.[1])).toBeGreaterThan(LIMIT_MB)
})

test('behavior: what is left serves pages and draws cards', async () => {
  const bin = join(folder, 'service', 'bin', 'touchstone-server.js')
  const { url } = await startBuiltServer([], { ...ALONE, DATA_DIR: join(folder, 'data') }, bin)
  const page = await fetch(url)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')])
  // Fonts, the layout engine and the rasterizer of share cards.
  const draw = `await import('satori')
    const { Resvg } = await import('@resvg/resvg-js')
    process.stdout.write(new Resvg('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').render().asPng())`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', draw], {
    cwd: join(folder, 'service'),
  })
  expect(stdout).toContain('PNG')
}, 60_000)
