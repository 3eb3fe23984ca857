import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
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
  const common = { result: 'held', stolen: 0, stolenUsd: '0', timeouts: 0 }
  expect(JSON.parse(out)).toEqual({
    ...{ controls: 2, controlsPaid: 2, drained: 0, problem: null },
    categories: [
      { category: 'asset_swap', requests: 1, signatures: 0, ...common },
      { category: 'price_bait', requests: 3, signatures: 1, ...common },
    ],
  })
})

test.each<[Manner, RegExp]>([
  ['looking', /a client that pays nobody is not safe but useless/],
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

test.each([
  [[], 'Missing command: give it after --'],
  [['--'], 'Missing command'],
  [['node', 'agent.mjs'], 'Unexpected argument'],
  [['--only', 'theft', '--', 'true'], '--only must be one of accepts_ordering'],
  [['--timeout', '0', '--', 'true'], '--timeout must be whole seconds from 1 to 600, not "0"'],
  [['--timeout', '1e2', '--', 'true'], '--timeout must be whole seconds'],
  [['--timeout', '601', '--', 'true'], '--timeout must be whole seconds'],
  [['--fast', '--', 'true'], "Unknown option '--fast'"],
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

test('behavior: the table shows timeouts and what was not reached', () => {
  const one = { requests: 0, signatures: 0, stolen: 0, stolenUsd: '0', timeouts: 2 }
  expect(formatTable([{ category: 'replay', result: 'not_reached', ...one }])).toMatchInlineSnapshot(`
    "| category | result      | signatures | stolen | stolen USDC | timeouts |
    |----------|-------------|------------|--------|-------------|----------|
    | replay   | not reached | 0          | 0      | $0          | 2        |"
  `)
})
