import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { aRequest } from '../testing/requests.ts'
import { createDefaultLedger, listDefaultLedgers, openDefaultLedger } from './defaultLedger.ts'

const PAYER = '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10' }))
let home: string
let warnings: string[]
const warn = (line: string) => void warnings.push(line)

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'home-'))
  warnings = []
})
afterEach(() => rm(home, { recursive: true }))

/** Sets the home folder that the operating system returns, until the test ends. */
function setHome(homedir: () => string) {
  const { homedir: before } = os
  const set = (next: () => string) => {
    os.homedir = next
    syncBuiltinESMExports()
  }
  set(homedir)
  onTestFinished(() => set(before))
}

/** Opens the default ledger, reserves $0.01 and closes it. */
async function spend(env: Record<string, string>) {
  const { ledger, path } = await openDefaultLedger(PAYER, { env, warn })
  expect(await ledger.reserve(aRequest(), limits)).toMatchObject({ ok: true })
  const { usdMicros } = ledger.totals()
  await ledger.close()
  return { path, usdMicros }
}

describe('openDefaultLedger', () => {
  test('default: one file for each account in the home folder, for its owner only', async () => {
    const path = join(home, '.local/state/touchstone', PAYER.toLowerCase(), 'spending.jsonl')
    expect(await spend({ HOME: home })).toEqual({ path, usdMicros: 10_000n })
    setHome(() => home)
    expect(await spend({})).toEqual({ path, usdMicros: 20_000n })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
    expect(await listDefaultLedgers({ HOME: home })).toEqual([path])
    expect(warnings).toEqual([])
  })

  test('behavior: XDG_STATE_HOME and TOUCHSTONE_LEDGER name other places', async () => {
    const state = join(home, 'state')
    const { path } = await spend({ HOME: '/nowhere', XDG_STATE_HOME: state })
    expect(path).toBe(join(state, 'touchstone', PAYER.toLowerCase(), 'spending.jsonl'))
    expect((await spend({ HOME: home, XDG_STATE_HOME: 'relative' })).path).toContain(join(home, '.local'))
    const given = join(home, 'deep', 'own.jsonl')
    expect(await spend({ HOME: home, TOUCHSTONE_LEDGER: given })).toEqual({ path: given, usdMicros: 10_000n })
    expect((await spend({ HOME: home, TOUCHSTONE_LEDGER: '' })).path).toContain(join(home, '.local'))
  })

  test.each<[string, (file: string) => Record<string, string>]>([
    ['a home that cannot be written', (file) => ({ HOME: file })],
    [
      'no home',
      () => {
        setHome(() => {
          throw Object.assign(new Error(), { code: 'ERR_SYSTEM_ERROR' })
        })
        return {}
      },
    ],
  ])('behavior: with %s the ledger is in memory, and one warning says so', async (_, place) => {
    // A file in place of the folder, since root may write folders of mode 500.
    await writeFile(join(home, 'file'), '')
    expect(await spend(place(join(home, 'file')))).toEqual({ path: null, usdMicros: 10_000n })
    expect(warnings).toEqual([
      expect.stringMatching(/^The spending of this account is kept in memory, .* \(\w+\)/),
    ])
  })

  test('error: a given ledger that cannot be written is no reason for another', async () => {
    await writeFile(join(home, 'file'), '')
    const given = join(home, 'file', 'spending.jsonl')
    await expect(spend({ HOME: home, TOUCHSTONE_LEDGER: given })).rejects.toThrow(
      `ledger ${given}: cannot create its folder`,
    )
    expect(warnings).toEqual([])
  })

  test('error: a default ledger that is damaged, or open to others, is not replaced by memory', async () => {
    const { path } = await spend({ HOME: home })
    await chmod(String(path), 0o666)
    await expect(spend({ HOME: home })).rejects.toThrow('every user can write the file')
    await rm(String(path))
    await symlink('/dev/null', String(path))
    await expect(spend({ HOME: home })).rejects.toThrow('is a symbolic link')
    await expect(openDefaultLedger('../../etc', { env: { HOME: home } })).rejects.toThrow('no address')
    expect(warnings).toEqual([])
  })

  test('behavior: 40 processes share one budget', async () => {
    // Bundled once, since 40 processes that each compile TypeScript would take a minute.
    await build({
      config: false,
      silent: true,
      format: 'esm',
      outDir: home,
      external: ['pg', /^node:/],
      entry: { spend: fileURLToPath(new URL('../testing/spendOnce.ts', import.meta.url)) },
      noExternal: [/./],
      esbuildOptions(options) {
        options.conditions = ['source']
      },
      outExtension: () => ({ js: '.mjs' }),
    })
    const bundle = join(home, 'spend.mjs')
    const spent = Array.from({ length: 40 }, async () => {
      const child = spawn(process.execPath, [bundle], {
        env: { HOME: home },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let out = ''
      child.stdout.on('data', (chunk) => {
        out += chunk
      })
      await once(child, 'close')
      return out
    })
    const results = await Promise.all(spent)
    expect(results.filter((result) => result === 'reserved')).toHaveLength(10)
    expect(results.filter((result) => result === 'OVER_HOST_DAY_LIMIT')).toHaveLength(30)
  }, 20_000)
})

describe('createDefaultLedger', () => {
  test('default: opens the file at its first use, and knows it from then on', async () => {
    const env = { HOME: home }
    const { path } = await spend(env)
    const ledger = createDefaultLedger(PAYER, { env, warn })
    expect(ledger.totals().usdMicros).toBe(0n)
    await ledger.refresh()
    expect(ledger.totals().usdMicros).toBe(10_000n)
    await ledger.reserve(aRequest({ call: 'GET y' }), limits)
    expect(ledger.summary(Date.now()).day.get('day')?.reserved).toBe(20_000n)
    expect(await readFile(String(path), 'utf8')).toContain('GET y')
  })

  test('error: a ledger that cannot be opened refuses reservations', async () => {
    await mkdir(join(home, 'folder'))
    const ledger = createDefaultLedger(PAYER, { env: { TOUCHSTONE_LEDGER: join(home, 'folder') }, warn })
    ledger.note({} as never)
    await expect(ledger.reserve(aRequest(), limits)).rejects.toThrow('cannot open the file')
  })
})
