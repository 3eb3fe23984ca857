import { expect, test } from 'vitest'
import type { EventFields } from '../../logging.ts'
import { type Check, createHealth, type Finding } from './createHealth.ts'

const OK: Finding = { level: 'ok', status: 'ok' }
const unanswered: Finding = { level: 'down', status: 'unavailable', sentence: 'it cannot be written' }

/** Opens the health of one part that a test decides. */
function open(look: () => Promise<Finding>, options: Partial<Check> = {}) {
  const lines: string[] = []
  const events: EventFields[] = []
  let isStopping = false
  const check: Check = { name: 'store', everyMs: 1000, patienceMs: 50, unanswered, look, ...options }
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
  return { health, lines, events, stop, look: () => health.look('store') }
}

test('default: says once when a fault begins, and once when it ends', async () => {
  let finding = OK
  const { health, lines, events, look } = open(async () => finding)
  expect(health.read()).toEqual({ status: 'ready', checks: { store: 'unknown' } })
  await look()
  expect(health.read()).toEqual({ status: 'ready', checks: { store: 'ok' } })
  finding = unanswered
  await look()
  await look()
  expect(health.read()).toEqual({ status: 'not_ready', checks: { store: 'unavailable' } })
  finding = OK
  await look()
  await look()
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
  const { health, lines, look } = open(async () => findings.shift() ?? OK)
  await look()
  expect(health.read()).toEqual({ status: 'degraded', checks: { store: 'unreachable' } })
  await look()
  await look()
  expect(lines).toEqual([
    'warn store: no RPC answers',
    'warn store: it is on chain 1',
    'info store: works again after 0 s',
  ])
})

test('error: a check that throws, or that never ends, counts as unanswered', async () => {
  const thrown = open(() => Promise.reject(new Error('ENOSPC at https://u:S3CRET@db.example/')))
  await thrown.look()
  expect(thrown.lines).toEqual(['warn store: it cannot be written: ENOSPC at https://db.example/'])
  let looks = 0
  const hanging = open(() => {
    looks++
    return new Promise(() => {})
  })
  await hanging.look()
  await hanging.look()
  expect(looks).toBe(1)
  expect(hanging.health.read().status).toBe('not_ready')
})

test('behavior: is not ready once the process stops', async () => {
  const { health, look, stop } = open(async () => OK)
  await look()
  stop()
  expect(health.read()).toEqual({ status: 'not_ready', checks: { store: 'ok', process: 'stopping' } })
})
