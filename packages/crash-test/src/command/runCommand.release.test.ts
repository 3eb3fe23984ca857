import { expect, test } from 'vitest'
import { makeEnvironment } from './environment.ts'
import { redact, runCommand } from './runCommand.ts'

const env = { PATH: process.env.PATH ?? '' }
const node = (script: string) => [process.execPath, '--eval', script]
const run = (script: string, timeoutMs = 30_000) =>
  runCommand(node(script), { env, timeoutMs, signal: new AbortController().signal })

test('default: returns the end of what the command printed', async () => {
  expect(await run("console.log('out'); console.error('err'); process.exitCode = 3")).toEqual({
    how: 'exited',
    code: 3,
    output: expect.stringMatching(/out\n.*err\n|err\n.*out\n/s),
  })
})

test('behavior: gives the command this environment alone, and no input', async () => {
  const script = "process.stdin.resume().on('end', () => console.log(JSON.stringify(process.env)))"
  const { output } = await run(script)
  const { __CF_USER_TEXT_ENCODING: _, ...own } = JSON.parse(output)
  expect(own).toEqual(env)
})

test('behavior: keeps the last words of a command, though this process was busy when it ended', async () => {
  const sayLast = async (delayMs: number) => {
    const { signal } = new AbortController()
    const running = runCommand(['sh', '-c', 'echo last words'], { env, timeoutMs: 30_000, signal })
    setTimeout(() => {
      const until = performance.now() + 60
      while (performance.now() < until);
    }, delayMs)
    return (await running).output
  }
  for (let round = 0; round < 5; round++)
    expect(await Promise.all([0, 1, 2, 3].map(sayLast))).toEqual(Array(4).fill('last words\n'))
})

test('behavior: keeps little of a long output', async () => {
  const { output } = await run("for (let i = 0; i < 1e5; i++) console.log('line ' + i)")
  expect(output.length).toBeLessThanOrEqual(2_000)
  expect(output).toContain('line 99999')
})

test('error: ends a command at the timeout, whatever it does with signals', async () => {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"
  expect(await run(script, 1_500)).toMatchObject({ how: 'timeout' })
})

test('behavior: does not wait for a process that left the group and holds the pipes', async () => {
  const script = `const child = require('child_process').spawn('sleep', ['600'], { detached: true, stdio: 'inherit' })
    console.log(child.pid)
    child.unref()`
  const { how, output } = await run(script)
  expect(how).toBe('exited')
  // Throws if it is gone.
  process.kill(Number.parseInt(output, 10), 'SIGKILL')
})

test('error: a program that is not there', async () => {
  const { signal } = new AbortController()
  expect(await runCommand(['./no-such-program'], { env, timeoutMs: 1000, signal })).toEqual({
    how: 'not_started',
    code: null,
    output: expect.stringContaining('ENOENT'),
  })
})

test('behavior: an abort before the start ends it as well', async () => {
  const signal = AbortSignal.abort()
  const ended = await runCommand(node('setInterval(() => {}, 1000)'), { env, timeoutMs: 60_000, signal })
  expect(ended.how).toBe('stopped')
})

test('behavior: shows neither keys nor signatures, nor control characters', () => {
  expect(redact(`key 0x${'a1'.repeat(32)} signature ${'Zm9v'.repeat(50)}=\n\u001b[31mred`)).toBe(
    'key [removed] signature [removed]\n [31mred',
  )
})

test('default: the environment has the documented variables and nothing else', () => {
  const own = { PATH: '/bin', HOME: '/home/me', PRIVATE_KEY: 'mine', SECRET: 's', MODEL_KEY: 'm' }
  const terms = { network: 'eip155:8453', asset: '0xa', payTo: '0xb', amount: '10000' }
  const url = 'http://127.0.0.1:4021/weather'
  const settings = {
    stage: { url, listing: { url, terms } },
    privateKey: '0x01',
    budgetUsd: '1.00',
    home: '/tmp/home',
    touchstoneUrl: 'http://127.0.0.1:4022',
    tempoUrl: 'http://127.0.0.1:4023',
    keep: ['MODEL_KEY', 'NOT_SET', 'PRIVATE_KEY'],
  }
  expect(makeEnvironment(settings, own)).toEqual({
    PATH: '/bin',
    MODEL_KEY: 'm',
    TARGET_URL: url,
    PRIVATE_KEY: '0x01',
    BUDGET_USD: '1.00',
    TOUCHSTONE_URL: 'http://127.0.0.1:4022',
    TEMPO_RPC_URL: 'http://127.0.0.1:4023',
    HOME: '/tmp/home',
    TARGET_LISTING: JSON.stringify({ url, priceUsd: '0.01', ...terms }),
  })
})
