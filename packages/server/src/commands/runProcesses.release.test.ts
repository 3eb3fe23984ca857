import { type ChildProcess, spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import type { EventFields } from '../lib/logging.ts'
import { type Role, runProcesses } from './runProcesses.ts'

const STARTS = `process.send('ready');`
const STAYS = `setInterval(() => {}, 1000);`
const HANDLES = `process.on('SIGTERM', () => process.exit(Number(process.env.CODE ?? 0)));`

/** Runs processes of Node with scripts, each place's first one first. */
function start(scripts: (role: Role, count: number) => string, { limitMs = 20_000, processes = 2 } = {}) {
  const children: ChildProcess[] = []
  const events: EventFields[] = []
  const said: string[] = []
  let exit = (_code: number) => {}
  const exited = new Promise<number>((resolve) => {
    exit = resolve
  })
  const run = runProcesses({
    role: 'worker',
    processes,
    metricsPort: 9402,
    limitMs,
    replaceMs: 10,
    exit,
    log: (_, message, fields) => {
      said.push(message)
      events.push(fields)
    },
    fork: (role, settings) => {
      const script = scripts(role, children.length)
      const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const
      const child = spawn(process.execPath, ['-e', script], { stdio: [...stdio], env: { ...settings } })
      children.push(child)
      return child
    },
  })
  onTestFinished(run.onEnd)
  /** Waits until a process has started. */
  const ready = (index: number) =>
    new Promise<void>((resolve) => children[index]?.once('message', () => resolve()))
  return { ...run, children, events, said, exited, ready }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

test('error: one that ends before any has started ends all, with exit code 1', async () => {
  const { exited, children, said } = start((_, count) => (count === 0 ? 'process.exit(1)' : STAYS))
  expect(await exited).toBe(1)
  expect(children).toHaveLength(2)
  expect(children.filter(isRunning)).toEqual([])
  expect(said).toEqual(['a process (worker) ended with 1 before any had started; giving up'])
})

test('behavior: one that ends later is replaced, each time after twice the delay', async () => {
  const { events, children, stop, ready } = start((_, count) =>
    count === 0 ? STARTS + STAYS : count === 2 || count === 3 ? 'process.exit(3)' : STAYS,
  )
  await ready(0)
  children[1]?.kill('SIGKILL')
  await expect.poll(() => children.length).toBe(5)
  const event = { event: 'process_ended', role: 'worker' }
  expect(events).toEqual([
    { ...event, reason: 'SIGKILL', afterMs: 10 },
    { ...event, reason: 3, afterMs: 20 },
    { ...event, reason: 3, afterMs: 40 },
  ])
  expect(await stop('SIGTERM')).toBe(true)
  expect(children.filter(isRunning)).toEqual([])
})

test('behavior: a stop is clean if each ends with 0, or by the signal before it has a handler', async () => {
  const clean = start((_, count) => (count === 0 ? HANDLES : '') + STARTS + STAYS)
  await Promise.all([clean.ready(0), clean.ready(1)])
  expect(await clean.stop('SIGTERM')).toBe(true)
  expect(clean.children.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([0, 'SIGTERM'])
  expect(clean.said).toEqual([])
})

test('behavior: a stop is not clean if one lost something, or had to be ended', async () => {
  const lost = start(() => `process.env.CODE = 1;${HANDLES}${STARTS}${STAYS}`, { processes: 1 })
  await lost.ready(0)
  expect(await lost.stop('SIGTERM')).toBe(false)

  const deaf = start(() => `process.on('SIGTERM', () => {});${STARTS}${STAYS}`, {
    limitMs: 600,
    processes: 1,
  })
  await deaf.ready(0)
  expect(await deaf.stop('SIGTERM')).toBe(false)
  expect(deaf.said).toEqual(['stop: ended by STOP_SECONDS: 1 processes still open'])
  expect(deaf.children.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL'])
})
