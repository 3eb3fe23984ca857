import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatSignerKey, verifierKeyOf } from '@touchstone402/transparency'
import { expect, onTestFinished, test, vi } from 'vitest'
import { KEPT } from '../command/environment.ts'
import { commandOf, type Manner } from '../testing/commands.ts'
import { CATEGORIES } from '../types.ts'
import { formatTable } from './formatTable.ts'
import { run } from './run.ts'

async function cli(args: readonly string[], manner?: Manner, signal = new AbortController().signal) {
  const out: string[] = []
  const err: string[] = []
  const command = manner === undefined ? [] : ['--', ...commandOf(manner)]
  const code = await run([...args, ...command], {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    env: process.env,
    signal,
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}
const LONG = 120_000

test('default: a drained category', { timeout: LONG }, async () => {
  const { code, out, err } = await cli(['--only', 'recipient_redirect'], 'chatty')
  expect({ code, err }).toEqual({ code: 1, err: 'recipient_redirect: drained' })
  expect(out).toMatch(/^\| recipient_redirect \| DRAINED \| 1 +\| 1 +\| \$0\.01 +\|/m)
  expect(out).toContain('2 of 2 honest sellers paid. 1 of 1 categories drained.')
})

test('behavior: --json prints the report', { timeout: LONG }, async () => {
  const { code, out } = await cli(
    ['--json', '--only', 'price_bait', '--only', 'asset_swap', '--timeout', '60'],
    'careful',
  )
  expect(code).toBe(0)
  const none = { hung: 0, crashed: 0, failed: 0 }
  const common = { result: 'held', stolen: 0, stolenUsd: '0', ...none }
  expect(JSON.parse(out)).toEqual({
    controls: 2,
    controlsPaid: 2,
    drained: 0,
    lostUsd: '0',
    problem: null,
    categories: [
      { category: 'asset_swap', requests: 1, signatures: 0, ...common },
      { category: 'price_bait', requests: 3, signatures: 1, ...common },
    ],
  })
})

test.each<[Manner, RegExp]>([
  ['looking', /a client that never pays is useless, not safe/],
  ['foreign', /Stopped: a payment named another payer than PRIVATE_KEY/],
])('error: no result for a %s client', { timeout: LONG }, async (manner, message) => {
  const { code, out, err } = await cli([], manner)
  expect([code, out]).toEqual([2, '0 of 2 honest sellers paid.'])
  expect(err).toMatch(message)
  expect(err).not.toMatch(/[0-9a-zA-Z+/]{64}/)
})

test('behavior: Ctrl-C ends it', { timeout: LONG }, async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 300)
  expect(await cli([], 'hanging', stop.signal)).toEqual({ code: 130, out: '', err: '' })
})

test('behavior: --certificate writes a signed note that verify reads', { timeout: LONG }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'note')
  vi.stubEnv('CRASH_TEST_KEY', await formatSignerKey('agents.example', new Uint8Array(32).fill(7)))
  onTestFinished(() => void vi.unstubAllEnvs())
  const { err } = await cli(['--certificate', file, '--only', 'replay'], 'careful')
  expect(err).toContain(`Certificate: ${file}`)
  const key = await verifierKeyOf(`${process.env.CRASH_TEST_KEY}`)
  const { code, out } = await cli(['verify', file, '--key', key])
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/replay held\ndrained 0 of 1\n.*Signed by agents\.example/s),
  ])
  expect((await cli(['verify', file])).out).toContain('proves no origin')
  const other = await verifierKeyOf(await formatSignerKey('agents.example', new Uint8Array(32).fill(8)))
  expect(await cli(['verify', file, '--key', other])).toMatchObject({ code: 2, out: '' })
})

test.each([
  [['verify'], 'verify needs FILE: the certificate'],
  [['verify', './no-such-file'], 'ENOENT'],
  [['--key', 'k', '--', 'true'], 'crash-test has no option --key'],
  [['--certificate', 'c'], '--certificate needs a command'],
  [['--env', 'CRASH_TEST_KEY', '--', 'true'], '--env must be the name'],
  [['--'], 'Missing command: give it after --'],
  [['--env', 'KEY'], '--env needs a command'],
  [['node', 'agent.mjs'], 'Unexpected argument'],
  [['--json', 'node', 'agent.mjs'], 'crash-test takes no words; got 2'],
  [['--only', 'theft', '--', 'true'], '--only must be one of accepts_ordering'],
  [['--timeout', '0', '--', 'true'], '--timeout must be a whole number from 1 to 600'],
  [['--timeout', '1e2', '--', 'true'], '--timeout must be a whole number'],
  [['--timeout', '601', '--', 'true'], '--timeout must be a whole number'],
  [['--fast', '--', 'true'], 'crash-test has no option --fast; it takes --only'],
] as const)('error: %j', async (args, message) => {
  expect(await cli(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) })
})

test('error: does not repeat a value that was given with the name of a variable', async () => {
  const { code, err } = await cli(['--env', 'KEY=secret', '--', 'true'])
  expect([code, err]).toEqual([2, expect.not.stringContaining('secret')])
  expect(err).toContain('--env must be the name of an environment variable')
})

test('default: --help and --version', async () => {
  const help = await cli(['--help'])
  expect(help.code).toBe(0)
  for (const word of [...CATEGORIES, ...KEPT, 'TARGET_URL', '--json']) expect(help.out).toContain(word)
  const { version } = createRequire(import.meta.url)('../../package.json')
  expect(await cli(['--version'])).toEqual({ code: 0, out: version, err: '' })
})

test('behavior: the table tells runs that hung, crashed and failed', () => {
  const one = { requests: 0, signatures: 0, stolen: 0, stolenUsd: '0', hung: 2, crashed: 0, failed: 1 }
  expect(formatTable([{ category: 'replay', result: 'not_reached', ...one }])).toMatchInlineSnapshot(`
    "| category | result      | signatures | stolen | stolen USDC | hung | crashed | failed |
    |----------|-------------|------------|--------|-------------|------|---------|--------|
    | replay   | not reached | 0          | 0      | $0          | 2    |         | 1      |"
  `)
})
