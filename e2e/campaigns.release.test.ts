import { expect, test } from 'vitest'
import { run as runHostile } from './campaigns/hostile/index.ts'
import { run as runLedgerKill } from './campaigns/ledger-kill.ts'
import { run as runVerdictFaults } from './campaigns/verdict-faults.ts'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'

checksNoAnswers('its verdicts are signed by services of the campaigns')

// The short forms of the campaigns that are the only test of their promise.

test('default: the guard blocks a sample of the attacks without signing or paying, and pays every honest seller', async () => {
  const { ok, figures } = await runHostile({ short: true })
  expect(figures).toMatchObject({ unapprovedSignatures: 0, movedUsd: '0', paidTwice: 0 })
  expect(figures.retries).toBeGreaterThanOrEqual(12)
  expect(figures.retriesDelivered).toBe(figures.retries)
  expect(figures.controlsPaid).toBe(figures.controls)
  expect(figures.scenarios).toBeGreaterThanOrEqual(14)
  expect(figures.drainedUnguarded).toBeGreaterThanOrEqual(10)
  expect(ok).toBe(true)
})

test('behavior: the file ledger of a killed process never records less than was signed', async () => {
  const { ok, figures } = await runLedgerKill({ short: true })
  expect(figures).toMatchObject({ kills: 16, understated: 0, broken: 0 })
  expect(ok).toBe(true)
})

test('behavior: the guard neither pays nor exceeds its timeout for any fault of the verdict service', async () => {
  const { ok, figures } = await runVerdictFaults({ short: true })
  expect(figures).toMatchObject({ faults: 12, calls: 240, unsafePayments: 0, controlsPaid: 24 })
  expect(ok).toBe(true)
})
