import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import * as clients from './clients.ts'
import { toSeen } from './terms.ts'
import { A, B, C, series, T0, up } from './testing/facts.ts'

type Probes = readonly ReturnType<typeof up>[]
const compare = (probes: Probes, now: number) => clients.compareProbes(probes.map(toSeen), now)
const idsOf = (pair: clients.Comparison['rotation']) => pair?.map(({ id }) => id) ?? null
const findRotation = (probes: Probes, now: number) => idsOf(compare(probes, now).rotation)
const findDynamicPrice = (probes: Probes, now: number) => idsOf(compare(probes, now).dynamicPrice)
const hasOpenDifference = (probes: Probes, now: number) => compare(probes, now).isOpen
const findAlternations = (probes: Probes, now: number) =>
  clients.findAlternations(probes.map(toSeen), now, compare(probes, now).differ)
const findCloaking = (probes: Probes, now: number) => findAlternations(probes, now).cloaking
const findCacheLag = (probes: Probes, now: number) => findAlternations(probes, now).cacheLag

/** Creates probes by two clients in turn, the second with different terms. */
const cloaked = (everyMs: number, count = 6, other: Parameters<typeof up>[1] = { payTo: B }) =>
  series(T0, count, everyMs, (at, client) => up(at, client === 'agent' ? { client, ...other } : { client }))

describe('findRotation', () => {
  test('default', () => {
    const probes = [up(T0), up(T0 + 30_000, { payTo: B })]
    expect(findRotation(probes, T0 + HOUR)).toEqual(probes.map(({ id }) => id))
  })

  test('behavior: ignores different clients, pairs over a minute apart, and old pairs', () => {
    expect(findRotation([up(T0), up(T0 + 1000, { payTo: B, client: 'agent' })], T0 + HOUR)).toBeNull()
    expect(findRotation([up(T0), up(T0 + 60_001, { payTo: B })], T0 + HOUR)).toBeNull()
    expect(findRotation([up(T0), up(T0 + 1000, { payTo: B })], T0 + 31 * DAY)).toBeNull()
  })
})

describe('findDynamicPrice', () => {
  test('default', () => {
    const probes = [up(T0), up(T0 + 1000, { amount: '12000' })]
    expect(findDynamicPrice(probes, T0 + HOUR)).toEqual(probes.map(({ id }) => id))
    expect(findRotation(probes, T0 + HOUR)).toBeNull()
  })
})

describe('findCloaking', () => {
  test('behavior: terms that came back after many others are not explained by a cache', () => {
    const both = (at: number, amount: string) => [
      up(at, { amount, client: 'touchstone' }),
      up(at + 1, { amount, client: 'agent' }),
    ]
    const old = both(T0, '50000')
    const others = Array.from({ length: 40 }, (_, index) =>
      both(T0 + (index + 1) * HOUR, `${20_000 + index}`),
    )
    const now = T0 + 50 * HOUR
    const shown = [0, 1, 2, 3].map((index) =>
      up(now + index * MINUTE, index % 2 === 0 ? {} : { client: 'agent', amount: '50000' }),
    )
    const probes = [...old, ...others.flat(), ...both(now - HOUR, '10000'), ...shown]
    expect(findCloaking(probes, now + HOUR)).toEqual(shown.map(({ id }) => id))
    // The same terms are explained where they are new.
    expect(findCloaking(probes.slice(2), now + HOUR)).toBeNull()
  })

  test('default', () => {
    expect(findCloaking(cloaked(2 * MINUTE), T0 + HOUR)).toHaveLength(4)
    expect(findCloaking(cloaked(2 * MINUTE, 6, { amount: '50000' }), T0 + HOUR)).toHaveLength(4)
  })

  test('behavior: a changed receiver between two probes is not cloaking', () => {
    const swap = series(T0, 10, 2 * MINUTE, (at, client) =>
      up(at, { client, payTo: at < T0 + 9 * MINUTE ? A : B }),
    )
    expect(findCloaking(swap, T0 + HOUR)).toBeNull()
  })

  test('behavior: a price that follows the time of day is not cloaking', () => {
    const dayAndNight = series(T0, 40, 12 * HOUR, (at, client) =>
      up(at, { client, amount: client === 'agent' ? '20000' : '10000' }),
    )
    expect(findCloaking(dayAndNight, T0 + 20 * DAY)).toBeNull()
  })

  test('behavior: random prices and random receivers are not cloaking', () => {
    const lots = (other: Parameters<typeof up>[1]) => [
      up(T0 - 1000, other),
      up(T0 - 500),
      ...cloaked(2 * MINUTE, 8, other),
    ]
    expect(findCloaking(lots({ amount: '50000' }), T0 + HOUR)).toBeNull()
    expect(findCloaking(lots({ payTo: B }), T0 + HOUR)).toBeNull()
  })

  test('behavior: finds cloaked receivers behind random prices', () => {
    const probes = [up(T0 - 1000, { amount: '9000' }), up(T0 - 500), ...cloaked(2 * MINUTE, 6, { payTo: C })]
    expect(findCloaking(probes, T0 + HOUR)).toHaveLength(4)
  })

  test('behavior: expires after 7 days, but not while the terms differ', () => {
    const found = cloaked(2 * MINUTE)
    const end = T0 + 8 * DAY
    const honest = series(T0 + DAY, 20, 8 * HOUR)
    expect(findCloaking([...found, ...honest], T0 + 6 * DAY)).not.toBeNull()
    expect(findCloaking([...found, ...honest], end)).toBeNull()
    const goesOn = cloaked(8 * HOUR, 20).map((probe) => ({ ...probe, at: probe.at + DAY }))
    expect(findCloaking([...found, ...goesOn], end)).not.toBeNull()
  })
})

describe('findCacheLag', () => {
  const before = series(T0 - 12 * HOUR, 6, 2 * HOUR)
  const lagging = [...before, ...cloaked(2 * MINUTE, 6, { amount: '50000' })]
  const end = T0 + 10 * MINUTE

  test('default', () => {
    expect(findCacheLag(lagging, end)).toHaveLength(4)
    expect(findCloaking(lagging, end)).toBeNull()
  })

  test('behavior: ends when all clients see the new terms, and was not cloaking', () => {
    const after = series(end + HOUR, 4, HOUR, (at, client) => up(at, { client, amount: '50000' }))
    expect(findCacheLag([...lagging, ...after], end + 4 * HOUR)).toBeNull()
    expect(findCloaking([...lagging, ...after], end + 4 * HOUR)).toBeNull()
  })

  test('behavior: terms that differ for longer than a cache may live are cloaked', () => {
    const later = cloaked(2 * MINUTE, 6, { amount: '50000' }).map((probe) => ({
      ...probe,
      at: probe.at + 6 * HOUR,
    }))
    expect(findCloaking([...lagging, ...later], end + 6 * HOUR)).toHaveLength(4)
    expect(findCacheLag([...lagging, ...later], end + 6 * HOUR)).toBeNull()
  })

  test('behavior: terms that differed from the start are cloaked at once', () => {
    const alone = cloaked(2 * MINUTE, 6, { amount: '50000' })
    expect(findCacheLag(alone, end)).toBeNull()
    expect(findCloaking(alone, end)).toHaveLength(4)
  })
})

describe('after a lag', () => {
  const before = series(T0 - 12 * HOUR, 6, 2 * HOUR)
  const end = T0 + 10 * MINUTE
  const honest = series(end + HOUR, 4, HOUR)
  const tomorrow = end + DAY

  test('behavior: a receiver that one client saw for minutes was cloaked', () => {
    const burst = [...before, ...cloaked(2 * MINUTE)]
    expect(findCacheLag(burst, end)).toHaveLength(4)
    expect(findCloaking([...burst, ...honest], tomorrow)).toHaveLength(4)
    expect(findCacheLag([...burst, ...honest], tomorrow)).toBeNull()
    const shownOnce = up(end + MINUTE, { payTo: B })
    expect(findCloaking([...burst, shownOnce, ...honest], tomorrow)).toHaveLength(4)
  })

  test('behavior: a receiver that stays was not cloaked', () => {
    const moved = series(end + HOUR, 12, HOUR, (at, client) => up(at, { client, payTo: B }))
    const probes = [...before, ...cloaked(2 * MINUTE), ...moved]
    expect([findCloaking(probes, tomorrow), findCacheLag(probes, tomorrow)]).toEqual([null, null])
  })

  test('behavior: a price that is withdrawn leaves the terms in doubt for 7 days', () => {
    const probes = [...before, ...cloaked(2 * MINUTE, 6, { amount: '50000' }), ...honest]
    expect(findCloaking(probes, tomorrow)).toBeNull()
    expect(findCacheLag(probes, T0 + 6 * DAY)).toHaveLength(4)
    expect(findCacheLag(probes, T0 + 8 * DAY)).toBeNull()
  })

  test('behavior: a new price for one client does not clear a cloaker', () => {
    const later = cloaked(10 * MINUTE, 6, { amount: '10001' }).map((probe) => ({
      ...probe,
      at: probe.at + DAY,
    }))
    const probes = [...cloaked(2 * MINUTE), ...honest, ...later]
    expect(findCloaking(probes, T0 + 2 * DAY)).toHaveLength(4)
    const clean = series(T0 + 2 * DAY, 4, HOUR)
    expect(findCloaking([...probes, ...clean], T0 + 3 * DAY)).toHaveLength(4)
  })

  test('behavior: terms that differ in rare probes for longer than a cache may live are cloaked', () => {
    const rare = cloaked(8 * HOUR, 4).map((probe) => ({ ...probe, at: probe.at + 8 * HOUR }))
    expect(findCloaking([...before, ...cloaked(2 * MINUTE), ...rare], T0 + 2 * DAY)).toHaveLength(4)
  })
})

describe('hasOpenDifference', () => {
  test('default', () => {
    const [a, b] = cloaked(HOUR, 2)
    if (a === undefined || b === undefined) throw new Error('two probes')
    expect(hasOpenDifference([a], T0)).toBe(false)
    expect(hasOpenDifference([a, b], T0 + HOUR)).toBe(true)
    expect(hasOpenDifference([a, b, up(T0 + 2 * HOUR, { payTo: B })], T0 + 2 * HOUR)).toBe(false)
  })

  test('behavior: three clients close a difference, however many probed before the terms changed', () => {
    const names = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5']
    const before = names.map((client, n) => up(T0 + n * HOUR, { client }))
    const after = names.slice(0, 3).map((client, n) => up(T0 + (6 + n) * HOUR, { client, amount: '15000' }))
    const isOpenAfter = (count: number) => hasOpenDifference([...before, ...after.slice(0, count)], T0 + DAY)
    expect([1, 2, 3].map(isOpenAfter)).toEqual([true, true, false])
  })

  test('behavior: random receivers are no open difference', () => {
    const probes = [up(T0), up(T0 + 1, { payTo: B }), up(T0 + HOUR, { client: 'agent', payTo: C })]
    expect(hasOpenDifference(probes, T0 + HOUR)).toBe(false)
  })
})
