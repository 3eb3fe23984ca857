import { expect, test } from 'vitest'
import type { EventFields } from '../../lib/logging.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { type Check, createHealth, type Finding } from './createHealth.ts'

const OK: Finding = { level: 'ok', status: 'ok' }
const unanswered: Finding = { level: 'down', status: 'unavailable', sentence: 'it cannot be written' }

/** Opens the health of one part that a test decides. */
function open(run: () => Promise<Finding>, options: Partial<Check> = {}) {
  const lines: string[] = []
  const events: EventFields[] = []
  let isStopping = false
  const check: Check = { name: 'store', everyMs: 1000, patienceMs: 50, unanswered, run, ...options }
  const health = createHealth({
    checks: [check],
    log: (level, message, fields) => {
      lines.push(`${level} ${message}`)
      events.push(fields)
    },
    isStopping: () => isStopping,
  })
  const stop = () => {
    isStopping = true
  }
  return { health, lines, events, stop, run: () => health.run('store') }
}

test('default: says once when a fault begins, and once when it ends', async () => {
  let finding = OK
  const { health, lines, events, run } = open(async () => finding)
  expect(health.read()).toEqual({ status: 'ready', checks: { store: 'unknown' } })
  await run()
  expect(health.read()).toEqual({ status: 'ready', checks: { store: 'ok' } })
  finding = unanswered
  await run()
  await run()
  expect(health.read()).toEqual({ status: 'not_ready', checks: { store: 'unavailable' } })
  finding = OK
  await run()
  await run()
  expect(lines).toEqual(['warn store: it cannot be written', 'info store: works again after 0 s'])
  expect(events).toEqual([
    { event: 'check_failing', check: 'store', status: 'unavailable', severity: 'down' },
    { event: 'check_works', check: 'store', status: 'ok', seconds: 0 },
  ])
})

test('behavior: what fails outside of the process is degraded, and says what it changed to', async () => {
  const findings: Finding[] = [
    { level: 'degraded', status: 'unreachable', sentence: 'no RPC answers' },
    { level: 'degraded', status: 'wrong chain', sentence: 'it is on chain 1' },
  ]
  const { health, lines, run } = open(async () => findings.shift() ?? OK)
  await run()
  expect(health.read()).toEqual({ status: 'degraded', checks: { store: 'unreachable' } })
  await run()
  await run()
  expect(lines).toEqual([
    'warn store: no RPC answers',
    'warn store: it is on chain 1',
    'info store: works again after 0 s',
  ])
})

test('behavior: a part that is impaired is said, and no failing part', async () => {
  const impaired: Finding = {
    level: 'impaired',
    status: 'partly unreachable',
    sentence: '1 of 2 RPCs is gone',
  }
  const { health, lines, run } = open(async () => impaired, { name: 'chain' })
  await health.run('chain')
  await run()
  expect(health.read()).toEqual({ status: 'degraded', checks: { chain: 'partly unreachable' } })
  expect(lines).toEqual(['warn chain: 1 of 2 RPCs is gone'])
  const gauges = new Map<string, unknown>()
  const gaugeBy = (name: string, _help: string, _label: string, read: () => unknown) =>
    gauges.set(name, read())
  health.addGauges({ gauge: () => {}, gaugeBy } as unknown as Metrics)
  expect(Object.fromEntries(gauges)).toEqual({ check_failing: { chain: 0 }, check_impaired: { chain: 1 } })
})

test('error: a check that throws, or that never ends, counts as unanswered', async () => {
  const thrown = open(() => Promise.reject(new Error('ENOSPC at https://u:S3CRET@db.example/')))
  await thrown.run()
  expect(thrown.lines).toEqual(['warn store: it cannot be written: ENOSPC at https://db.example/'])
  let probes = 0
  const hanging = open(() => {
    probes++
    return new Promise(() => {})
  })
  await hanging.run()
  await hanging.run()
  expect(probes).toBe(1)
  expect(hanging.health.read().status).toBe('not_ready')
})

test('behavior: is not ready once the process stops', async () => {
  const { health, run, stop } = open(async () => OK)
  await run()
  stop()
  expect(health.read()).toEqual({ status: 'not_ready', checks: { store: 'ok', process: 'stopping' } })
})
