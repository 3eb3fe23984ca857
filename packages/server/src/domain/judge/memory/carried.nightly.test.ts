import type { Change, Incident } from '@touchstone402/shared'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Observation } from '../../facts/facts.ts'
import type { Carried } from '../../facts/hostDocument.ts'
import { DAY, HOUR, MINUTE } from '../../facts/times.ts'
import { ENDPOINT, HOST, listing, offer, record, T0, up } from '../../testing/facts.ts'
import { judgeEndpoint } from '../judge.ts'
import { anyHistory } from '../testing/histories.ts'
import { plainJudge } from '../testing/plainJudge.ts'
import { carry, NOTHING_CARRIED } from './carried.ts'
import { foldSettled } from './refusals.ts'

/** Facts that more flags depend on: a refreshed claim, and chain records of every receiver. */
const known = (now: number, incidents: readonly Incident[] = []) => ({
  endpoint: ENDPOINT,
  host: HOST,
  listings: [
    listing(T0, { claims: { ...listing(T0).claims, calls: 20 } }),
    listing(T0 + DAY, { directory: 'other', claimedAt: T0 + 3 * DAY, category: 'weather' }),
  ],
  control: undefined,
  announcements: [],
  purchases: [],
  recordsOf: (_network: string, of: string) => [record(now - HOUR, { address: of, receiptsEver: 0 })],
  categoryPrice: () => ({ medianUsd: 0.01, count: 9 }),
  incidents,
  now,
  random: 0,
})

/** Cuts looks into batches, at pseudo-random places. */
function cut(looks: readonly Observation[], seed: number): (readonly Observation[])[] {
  const batches: (readonly Observation[])[] = []
  for (let start = 0, step = 0; start < looks.length; step++) {
    const size = 1 + ((seed + step * 7919) % 13)
    batches.push(looks.slice(start, start + size))
    start += size
  }
  return batches
}

const overJson = (carried: Carried): Carried => JSON.parse(JSON.stringify(carried))

/** Judges after each batch by what is carried and plainly, and compares. */
function compare(looks: readonly Observation[], seed: number, isChecked: (batch: number) => boolean): void {
  let carried = NOTHING_CARRIED
  let plainIncidents: readonly Incident[] = []
  let incidents: readonly Incident[] = []
  const published = new Map<string, Change>()
  const seen: Observation[] = []
  const batches = cut(looks, seed)
  for (const [index, batch] of batches.entries()) {
    seen.push(...batch)
    carried = overJson(carry(carried, batch).carried)
    const isLast = index === batches.length - 1
    if (!isLast && !isChecked(index)) continue
    for (const laterMs of isLast ? [0, MINUTE, 5 * DAY, 31 * DAY] : [index % 2 === 0 ? 0 : 3 * HOUR]) {
      const now = (seen.at(-1)?.at ?? T0) + laterMs
      const bounded = judgeEndpoint({ ...known(now, incidents), carried })
      const plain = plainJudge({ ...known(now, plainIncidents), observations: seen })
      expect(bounded.state).toEqual(plain.state)
      expect(bounded.incidents).toEqual(plain.incidents)
      for (const change of bounded.changes) published.set(change.id, change)
      expect(plain.changes.map(({ id }) => published.get(id))).toEqual(plain.changes)
      if (!isLast) [incidents, plainIncidents] = [bounded.incidents, plain.incidents]
    }
  }
}

describe('carry', () => {
  test('default: judging by what is carried equals judging all looks', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(anyHistory(14), fc.nat(1000), (looks, seed) => compare(looks, seed, () => true)),
      { numRuns: 25 },
    )
  })

  test('behavior: long pasts are judged alike', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(anyHistory(60), fc.nat(1000), (looks, seed) =>
        compare(looks, seed, (index) => index % 17 === seed % 17),
      ),
      { numRuns: 10 },
    )
  })

  test('behavior: carrying all looks at once or in parts gives the same', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(anyHistory(20), fc.nat(1000), (looks, seed) => {
        const days = []
        let carried: Carried | undefined
        for (const batch of cut(looks, seed)) {
          const on = carry(carried, batch)
          carried = overJson(on.carried)
          days.push(...on.days)
        }
        const whole = carry(undefined, looks)
        expect(carried).toEqual(whole.carried)
        expect(days).toEqual(whole.days)
        // All days but the one under way, which is carried.
        expect(days).toEqual(foldSettled(looks).slice(0, -1))
      }),
      { numRuns: 60 },
    )
  })

  const ordinary = Array.from({ length: 720 }, (_, index) =>
    up(T0 + 3 * HOUR * index + ((index * 7919) % 1_000_000), {
      id: `obs_${'0'.repeat(18)}${index}`.slice(-26),
      client: ['touchstone', 'agent', 'library'][index % 3] ?? '',
      request: 'req_0123456789abcdef',
      outcome: index % 50 === 9 ? 'down' : 'up',
      cause: index % 50 === 9 ? 'timeout' : 'challenge',
      latencyMs: (index * 31) % 400,
    }),
  )

  test('behavior: 90 days of an ordinary endpoint are below 6 kB', () => {
    expect(JSON.stringify(carry(undefined, ordinary).carried).length).toBeLessThan(6144)
  })

  test('behavior: what is carried stays below 128 kB, whatever a seller does', { timeout: 120_000 }, () => {
    const clients = ['touchstone', 'agent', 'library', 'browser']
    const text = (length: number, salt: number) => `${salt}`.padStart(length, 'x')
    const anyHostile = fc.record({
      offers: fc.constantFrom(1, 2, 9, 40, 128),
      length: fc.constantFrom(42, 190),
      everyMs: fc.constantFrom(100, 20_000, 5 * MINUTE, HOUR),
      /** After how many looks receivers, prices, networks and the outcome change. */
      receivers: fc.constantFrom(1, 2, 12, 13, 40),
      prices: fc.constantFrom(1, 2, 3, 7),
      networks: fc.constantFrom(1, 3, 1000),
      outcomes: fc.constantFrom(2, 3, 5, 1000),
      purpose: fc.constantFrom('scheduled' as const, 'confirm' as const, 'live' as const),
      isOneClient: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(anyHostile, { minLength: 1, maxLength: 4 }), (phases) => {
        let at = T0
        let carried: Carried | undefined
        for (const phase of phases) {
          const looks = Array.from({ length: 400 }, (_, index): Observation => {
            at += phase.everyMs
            const salt = Math.floor(index / phase.receivers)
            const offers = Array.from({ length: phase.offers }, (__, place) =>
              offer({
                payTo: text(phase.length, salt * 1000 + place),
                asset: text(phase.length, place),
                network: `eip155:${Math.floor(index / phase.networks) * 1000 + place}`,
                amountAtomic: `${10n ** 60n + BigInt(Math.floor(index / phase.prices))}`,
              }),
            )
            const client = phase.isOneClient ? 'agent' : (clients[index % 4] ?? '')
            const given = { client, purpose: phase.purpose, offers, id: `obs_${text(22, index)}` }
            const isUp = index % phase.outcomes !== 1
            return isUp
              ? up(at, given)
              : up(at, {
                  ...given,
                  outcome: 'down',
                  cause: 'http_error',
                  offers: [],
                  method: text(20, index),
                })
          })
          carried = carry(carried, looks).carried
          const { length } = JSON.stringify(carried)
          expect(length).toBeLessThan(131_072)
        }
      }),
      { numRuns: 10 },
    )
  })
})
