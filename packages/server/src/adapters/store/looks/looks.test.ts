import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Observation } from '../../../domain/facts/facts.ts'
import { anObservation, NOON } from '../testing/records.ts'
import { decodeLook, encodeLook } from './lookBytes.ts'
import { joinLook, readShape, splitLook } from './splitLook.ts'

/** Splits, encodes, decodes and joins an observation. */
function roundTrip(observation: Observation): Observation {
  const { shape, look } = splitLook(observation)
  const decoded = decodeLook(encodeLook(7, look), look.at)
  expect(decoded).toStrictEqual({ shape: 7, look })
  return joinLook(readShape(shape), decoded.look)
}

const hostile = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', '', '\ud800', 'obs_AbCdEf012_-z', 'obs_AbCdEf012_-zz'),
  fc.string({ unit: 'binary' }),
)
const time = fc.nat({ max: 2 ** 48 - 1 })
const present = <T>(value: T) => ({ ...(value !== undefined && { value }) })
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const observations: fc.Arbitrary<Observation> = fc
  .record({
    id: hostile,
    at: time,
    endpoint: hostile,
    host: hostile,
    client: hostile,
    method: hostile,
    purpose: fc.constantFrom('scheduled', 'confirm', 'live', 'control'),
    outcome: fc.constantFrom('up', 'down', 'not_measured'),
    latencyMs: fc.option(
      fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true, min: Number.MIN_VALUE })),
    ),
    problems: fc.array(hostile),
    asked: optional(fc.record({ at: fc.oneof(time, fc.constantFrom(1.5, -1)), leadsHere: fc.boolean() })),
    leadsTo: optional(hostile),
    reread: fc.boolean(),
    more: optional(fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)))),
  })
  .map(({ asked, leadsTo, reread, more, ...fields }) => ({
    ...anObservation(fields),
    ...(asked && { resourceAsked: { ...asked } }),
    ...(leadsTo !== undefined && { leadsTo }),
    ...(reread && { reread }),
    // A field of a later version.
    ...(more !== undefined && { more: present(more) }),
  }))

test('behavior: an observation that was split, encoded and joined is the same', () => {
  fc.assert(
    fc.property(observations, (observation) => {
      expect(roundTrip(observation)).toStrictEqual(observation)
    }),
  )
})

test('default: neighbouring looks share a shape and take a few bytes', () => {
  const looks = [
    anObservation({ id: 'obs_AbCdEf012_-z', at: NOON, latencyMs: 41, client: 'crawler' }),
    anObservation({ id: 'obs_012345678901', at: NOON + 1, latencyMs: 2000, client: 'wallet' }),
    anObservation({ id: 'obs_------------', at: NOON + 2, latencyMs: null, client: 'crawler' }),
  ].map(splitLook)
  expect(new Set(looks.map(({ shape }) => shape)).size).toBe(1)
  const sizes = looks.map(({ look }) => encodeLook(3, look).length)
  expect(sizes).toEqual([20, 20, 19])
})

test('behavior: control probes share a shape, whatever random path they ask', () => {
  const shapes = ['a', 'b'].map(
    (path) => splitLook(anObservation({ purpose: 'control', endpoint: `https://api.example/${path}` })).shape,
  )
  expect(shapes[0]).toBe(shapes[1])
})

test('error: refuses bytes that end too early', () => {
  const bytes = encodeLook(1, splitLook(anObservation()).look)
  expect(() => decodeLook(bytes.subarray(0, bytes.length - 1), NOON)).toThrow(RangeError)
  expect(() => decodeLook(new Uint8Array(), NOON)).toThrow(RangeError)
})
