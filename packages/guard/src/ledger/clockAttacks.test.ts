import { describe, expect, test } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import { aRequest } from '../testing/requests.ts'
import { applyUpdate } from './applyUpdate.ts'
import { addEntry, createLedgerState, type LedgerState, reserveEntry, viewState } from './ledgerState.ts'
import { restoreState, takeSnapshot } from './snapshot.ts'
import { summarizeSpending } from './spending.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOON = Date.UTC(2026, 10, 10, 12)
const limits = budgetLimits(parsePolicy({ maxPerDayUsd: '1.00', maxPerHostPerDayUsd: '1.00' }))
let count = 0
const reserve = (state: LedgerState, at: number, cents: bigint, host = `${count}.example`) => {
  const id = String(++count)
  const request = aRequest({ at, host, domain: host, call: `GET ${id}`, payTo: `0x${id}` })
  return reserveEntry(
    state,
    id,
    { ...request, usdMicros: cents * 10_000n, amountAtomic: String(cents * 10_000n) },
    limits,
  )
}
const query = { ...aRequest(), task: null, agent: null }

describe('attacks by clocks', () => {
  test('behavior: a user who spends 60 cents of a dollar each day pays after one call saw a clock two hours ahead', () => {
    const state = createLedgerState()
    // Yesterday at 11:00, 60 cents. Today at 12:30, 60 more: yesterday's are 25 hours old.
    const yesterday = NOON - DAY - HOUR
    for (let one = 0; one < 6; one++) expect(reserve(state, yesterday, 10n).ok).toBe(true)
    // 1 cent at 13:00 yesterday, which the clock ahead drops.
    expect(reserve(state, NOON - DAY + HOUR, 1n).ok).toBe(true)
    expect(reserve(state, NOON + 2 * HOUR, 1n).ok).toBe(true)
    const results = Array.from({ length: 6 }, () => reserve(state, NOON + HOUR / 2, 10n).ok)
    expect(results).not.toContain(false)
  })

  test('behavior: resetsAt is in the future after a clock was ahead', () => {
    const state = createLedgerState()
    reserve(state, NOON - HOUR, 50n)
    reserve(state, NOON + 2 * DAY, 1n)
    const now = NOON + HOUR
    const { day } = summarizeSpending(state.spending, [], now)
    const { oldestAt = 0 } = day.get('day') ?? {}
    expect(oldestAt + DAY).toBeGreaterThan(now)
  })

  test('behavior: ten payments of a clock that was ahead bar a host no longer than a minute', () => {
    const state = createLedgerState()
    for (let one = 0; one < 60; one++) reserve(state, NOON + 5 * HOUR + one * 10, 1n, 'busy.example')
    // The clock is set right; two minutes later.
    const result = reserve(state, NOON + 2 * 60_000, 1n, 'busy.example')
    expect(result).toMatchObject({ ok: true })
  })

  test('behavior: sums of days are those of their entries, none is negative, and a snapshot says the same', () => {
    let seed = 7
    const random = (most: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return seed % most
    }
    for (let run = 0; run < 40; run++) {
      let state = createLedgerState()
      let now = NOON
      const ids: string[] = []
      for (let step = 0; step < 60; step++) {
        now += random(4 * HOUR)
        const jump = random(10) === 0 ? (random(9) - 4) * DAY + random(HOUR) : 0
        const id = `${run}-${step}`
        const action = random(5)
        if (action < 3) {
          addEntry(state, id, aRequest({ at: now + jump, call: id, isVouched: random(2) === 0 }))
          ids.push(id)
        } else if (action === 3 && ids.length > 0) {
          const one = ids[random(ids.length)] ?? ''
          const until = Math.floor(now / 1000) - 2 * DAY
          applyUpdate(state, one, {
            state: 'sent',
            authorization: { from: '0x1', nonce: one, validBefore: String(until) },
          })
          if (random(2) === 0)
            applyUpdate(state, one, {
              state: 'unused',
              proof: { at: now, block: '1', timestamp: Math.floor(now / 1000) },
            })
          else
            applyUpdate(state, one, {
              state: 'settled',
              by: 'chain',
              transaction: null,
              amountAtomic: '1',
              proof: { at: now, block: '1', timestamp: Math.floor(now / 1000) },
            })
        } else if (ids.length > 0) applyUpdate(state, ids[random(ids.length)] ?? '', { state: 'unsigned' })
        if (random(10) === 0) {
          const before = [0, DAY, -DAY].map((more) => viewState(state, query, limits, now + more))
          state = restoreState(takeSnapshot(state))
          expect([0, DAY, -DAY].map((more) => viewState(state, query, limits, now + more))).toEqual(before)
        }
        for (const sums of [state.spending.byDay, ...state.spending.past.values()])
          for (const sum of sums.values()) expect(sum).toBeGreaterThanOrEqual(0n)
        expect(state.spending.total).toBeGreaterThanOrEqual(0n)
      }
    }
  })
})
