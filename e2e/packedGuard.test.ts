import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { walletAt } from '@touchstone402/economy'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { type SigningService, startSigningService, termOf } from './support/signingService.ts'

checksNoAnswers('the packed guard alone, with a service of the test')

const ENDPOINT = 'https://api.example.com/weather'
let folder: string
let service: SigningService

/** Runs a program in a folder with only the packed guard. */
async function run(file: string, args: readonly string[], cwd = folder) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TOUCHSTONE_URL: service.url }
  return promisify(execFile)(file, args, { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}
const touchstone = (...words: string[]) => run('npx', ['--no-install', 'touchstone', ...words])

beforeAll(async () => {
  service = await startSigningService()
  const terms = [termOf(walletAt(150).address, '10000')]
  service.decisions.set(ENDPOINT, {
    verdict: 'safe',
    score: 95,
    receiverStability: 'stable',
    probes: 9,
    terms,
  })
  folder = await mkdtemp(join(tmpdir(), 'touchstone-packed-'))
  const guard = fileURLToPath(new URL('../packages/guard/', import.meta.url))
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], guard)
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  // Offline, since the package must have no dependencies to install.
  const installed = await run('npm', [
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    join(folder, filename),
  ])
  if (installed.code !== 0) throw new Error(installed.stderr)
})
afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('the packed guard', () => {
  test('default: installs no other packages', async () => {
    const names = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))
    expect(names).toEqual(['@touchstone402'])
    expect(await readdir(join(folder, 'node_modules/@touchstone402'))).toEqual(['guard'])
  })

  test('default: npx runs its commands with help and exit codes', async () => {
    const help = await touchstone('check', '--help')
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('npx @touchstone402/guard check <url>'),
    })
    const safe = await touchstone('check', ENDPOINT)
    expect(safe).toMatchObject({ code: 0, stdout: expect.stringContaining('Safe to pay, score 95') })
    expect(safe.stdout).toContain('up to $0.01 in USDC')
    expect((await touchstone('check', `${ENDPOINT}/other`, '--json')).code).toBe(3)
    const explained = await touchstone('policy', 'explain')
    expect(explained).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Pays at most $1.00 per payment'),
    })
  })

  test('error: pay names the missing peer packages', async () => {
    const { code, stderr } = await touchstone('pay', ENDPOINT)
    expect(code).toBe(64)
    expect(stderr).toContain('Paying needs viem, @x402/fetch and @x402/evm; install them')
  })

  test('behavior: a program imports it and checks signed verdicts', async () => {
    const script = `
      import { createGuard } from '@touchstone402/guard'
      import { createFileLedger } from '@touchstone402/guard/ledger'
      const ledger = await createFileLedger('spending.jsonl')
      const state = await createGuard({ ledger }).verdict('${ENDPOINT}')
      await ledger.close()
      console.log(state.verdict.verdict)`
    expect(await run(process.execPath, ['--input-type=module', '--eval', script])).toEqual({
      code: 0,
      stdout: 'safe\n',
      stderr: '',
    })
  })
})
