import { expect, test } from 'vitest'
import type { Observation, ObservedOffer } from './facts.ts'
import { keepObservations } from './keepObservations.ts'

const offer = (payTo: string): ObservedOffer => ({
  x402Version: 2,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x01',
  payTo,
  amountAtomic: '1000',
  unsafeFlow: null,
})

const probe = (id: string, payTo: string, changes: Partial<Observation> = {}): Observation => ({
  kind: 'observation',
  id,
  at: 0,
  endpoint: 'https://api.example/a',
  host: 'api.example',
  purpose: 'scheduled',
  client: 'crawler',
  method: 'GET',
  outcome: 'up',
  cause: 'challenge',
  httpStatus: 402,
  latencyMs: 1,
  versions: [2],
  offers: [offer(payTo)],
  resourceOrigin: null,
  declaresInput: false,
  declaresOutput: true,
  disagreements: [],
  problems: [],
  ...changes,
})

const kept = (observations: Observation[], cited: string[] = []) =>
  [...keepObservations(observations, new Set(cited))].map((one) => one.id).sort()

test('default: keeps the ends and both sides of each change', () => {
  const probes = ['a', 'a', 'a', 'b', 'b', 'b', 'a'].map((payTo, index) => probe(`${index}`, payTo))
  expect(kept(probes)).toEqual(['0', '2', '3', '5', '6'])
})

test('behavior: drops failures, but keeps cited observations', () => {
  const down = probe('down', '', { outcome: 'down', cause: 'timeout', offers: [] })
  const control = probe('control', 'x', { purpose: 'control' })
  const probes = [probe('0', 'a'), down, control, probe('1', 'a'), probe('2', 'a')]
  expect(kept(probes)).toEqual(['0', '2'])
  expect(kept(probes, ['down'])).toEqual(['0', '2', 'down'])
})

test('behavior: treats clients that see different terms as separate series', () => {
  const probes = Array.from({ length: 10 }, (_, index) =>
    probe(`${index}`, index % 2 === 0 ? 'a' : 'b', { client: index % 2 === 0 ? 'crawler' : 'browser' }),
  )
  expect(kept(probes)).toEqual(['0', '1', '8', '9'])
})

test('behavior: keeps the first and the last hundred probes of a receiver that always changes', () => {
  const probes = Array.from({ length: 5000 }, (_, index) => probe(`${index}`, `${index}`))
  expect(keepObservations(probes, new Set()).size).toBe(101)
})
