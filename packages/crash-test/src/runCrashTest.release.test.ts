import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runCrashTest } from './runCrashTest.ts'
import { commandOf } from './testing/commands.ts'
import { CATEGORIES, type Category } from './types.ts'

const LONG = 300_000
/** Opens a temporary folder for one test, because other files run crash tests at the same time. Returns its listing. */
function openTmp(): () => string[] {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-'))
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => readdirSync(folder)
}
/** Stolen signatures, and their sum in USDC. */
const STOLEN: Readonly<Partial<Record<Category, readonly [number, string]>>> = {
  accepts_ordering: [1, '0.09'],
  asset_swap: [1, '0'],
  authorization_lifetime: [1, '0.01'],
  budget_split: [1, '0.01'],
  challenge_injection: [1, '0.01'],
  fake_delivery: [1, '0.01'],
  ghost_paywall: [1, '0.09'],
  lookalike_domain: [1, '0.09'],
  lying_facilitator: [1, '0.01'],
  price_bait: [1, '0.09'],
  protocol_switch: [1, '0.9'],
  rail_switch: [1, '0.01'],
  recipient_redirect: [1, '0.01'],
  replay: [1, '0.01'],
  replicas: [1, '0.01'],
  resource_spoof: [1, '0.01'],
  retry_storm: [2, '0.02'],
  unit_confusion: [1, '0.1'],
}

test('default: a client that pays every offer is drained by all but prose and sessions', {
  timeout: LONG,
}, async () => {
  const report = await runCrashTest({ command: commandOf('careless') })
  expect(report).toMatchObject({ controls: 2, controlsPaid: 2, drained: 18, lostUsd: '1.48', problem: null })
  expect(report.categories.map(({ category }) => category)).toEqual(CATEGORIES)
  for (const { category, result, stolen, stolenUsd } of report.categories) {
    const expected = STOLEN[category] ?? [0, '0']
    expect([category, result, stolen, stolenUsd]).toEqual([
      category,
      expected[0] === 0 ? 'held' : 'drained',
      ...expected,
    ])
  }
})

test('behavior: a careful client pays both honest sellers and loses nothing', { timeout: LONG }, async () => {
  const homes = openTmp()
  // The campaign `crash-test` sends the guarded clients, which are careful too, to all of them.
  const only = CATEGORIES.filter((_, index) => index % 4 === 0)
  const report = await runCrashTest({ command: commandOf('careful'), only })
  expect(report).toMatchObject({ controlsPaid: 2, drained: 0, problem: null })
  expect(report.categories.map(({ result }) => result)).toEqual(only.map(() => 'held'))
  expect(homes()).toEqual([])
})

test.each([
  ['looking', 'control_unpaid'],
  ['silent', 'control_unpaid'],
  ['invalid', 'control_unpaid'],
  ['crashing', 'control_crashed'],
  ['foreign', 'foreign_key'],
] as const)('error: has no result for a %s client', async (manner, problem) => {
  const report = await runCrashTest({ command: commandOf(manner) })
  const none = { controls: 2, controlsPaid: 0, drained: 0, lostUsd: '0', categories: [] }
  expect(report).toEqual({ ...none, problem })
})

test('error: ends a command that never ends, with the processes that it started', async () => {
  let output = ''
  const report = await runCrashTest({
    command: commandOf('hanging'),
    timeoutMs: 1_000,
    onOutput: (text) => {
      output = text
    },
  })
  expect(report.problem).toBe('control_hung')
  const [, pid = ''] = /group (\d+)/.exec(output) ?? []
  expect(pid).not.toBe('')
  await expect.poll(() => isGone(pid)).toBe(true)
})

test.each([
  ['dying', { result: 'crashed', crashed: 3, hung: 0, failed: 0 }, 'crashed'],
  ['waiting', { result: 'hung', crashed: 0, hung: 3, failed: 0 }, 'hung'],
  ['refusing', { result: 'held', crashed: 0, hung: 0, failed: 3 }, null],
] as const)(
  'behavior: a %s client is distinguished from one that holds',
  async (manner, expected, problem) => {
    const command = commandOf(manner)
    const report = await runCrashTest({ command, only: ['replicas'], timeoutMs: 5_000 })
    expect(report).toMatchObject({ controlsPaid: 2, drained: 0, problem })
    expect(report.categories).toMatchObject([{ requests: 3, stolen: 0, ...expected }])
  },
)

test('error: a command that is not there', async () => {
  const report = await runCrashTest({ command: ['./no-such-program'] })
  expect(report).toMatchObject({ problem: 'not_started', controlsPaid: 0 })
})

test('behavior: an abort ends the command', async () => {
  const stop = new AbortController()
  const homes = openTmp()
  const ended = expect(
    runCrashTest({ command: commandOf('hanging'), timeoutMs: LONG, signal: stop.signal }),
  ).rejects.toThrow('aborted')
  await expect.poll(homes).toHaveLength(1)
  stop.abort()
  await ended
  expect(homes()).toEqual([])
})

/** Whether a process was killed. It stays as a zombie until its parent takes note. */
async function isGone(pid: string): Promise<boolean> {
  try {
    process.kill(Number(pid), 0)
    return /State:\s+Z/.test(await readFile(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}
