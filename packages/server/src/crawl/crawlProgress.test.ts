import { expect, test, vi } from 'vitest'
import { systemClock } from '../lib/clock.ts'
import { createAnsweredStore, withReads } from '../store/testing/withFaults.ts'
import { createProgressKeeper } from './crawlProgress.ts'

/** Creates a keeper over due times of endpoints. */
function setUp(dueAt: number[]) {
  const time = { now: 100 }
  const clock = { ...systemClock, now: () => time.now }
  const countDue = vi.fn(async (now: number) => dueAt.filter((at) => at <= now).length)
  const store = createAnsweredStore(() => [{ count: 0 }])
  const leases = withReads(store, 'endpoint', async (_, { parameters }) => [
    { count: await countDue(Number(parameters[0])) },
  ])
  const keeper = createProgressKeeper({ store: leases, clock, log: () => {} })
  const show = () => {
    const { due, round, lastFinishedAt } = keeper.read()
    return [due, round && `${round.probed}/${round.total} from ${round.startedAt}`, lastFinishedAt]
  }
  const recount = async (isIdle = false) => {
    time.now += 10
    // A change between idle and busy counts at once.
    await keeper.recount(!isIdle)
    await keeper.recount(isIdle)
    return show()
  }
  return { time, keeper, countDue, show, recount }
}

test('default: a round ends once nothing is left that was due at its start', async () => {
  const dueAt = [1, 2, 3]
  const { recount } = setUp(dueAt)
  expect(await recount()).toEqual([3, '0/3 from 110', null])
  // Endpoints that become due during a round belong to the next one.
  dueAt.splice(0, 2, 115)
  expect(await recount()).toEqual([2, '2/3 from 110', null])
  dueAt.shift()
  dueAt.splice(0, 1, 125)
  expect(await recount()).toEqual([1, '0/1 from 130', 130])
  dueAt.pop()
  expect(await recount(true)).toEqual([0, null, 140])
  expect(await recount(true)).toEqual([0, null, 140])
})

test('behavior: an empty first round counts as finished', async () => {
  const { recount } = setUp([])
  expect(await recount(true)).toEqual([0, null, 110])
})

test('behavior: a host that is due again at once does not count below zero', async () => {
  const dueAt = [1]
  const { recount } = setUp(dueAt)
  await recount()
  dueAt.push(2, 3)
  expect(await recount()).toEqual([3, '0/1 from 110', null])
})

test('behavior: counts at most every few seconds, but at once when work begins or ends', async () => {
  const { keeper, countDue } = setUp([])
  await keeper.recount(true)
  await keeper.recount(true)
  expect(countDue).toHaveBeenCalledTimes(1)
  await keeper.recount(false)
  expect(countDue).toHaveBeenCalledTimes(2)
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_000)
  expect(await keeper.recount(false)).toBe(true)
  expect(await keeper.recount(false)).toBe(false)
  vi.restoreAllMocks()
})

test('behavior: counts probes', async () => {
  const { keeper } = setUp([])
  keeper.countFailure()
  keeper.countProbe({ observations: [], state: { confirmedAt: null } }, 5)
  keeper.countFailure()
  expect(keeper.read()).toMatchObject({ probes: 1, failures: 2, lastProbeAt: 100, slowestProbeMs: 5 })
})
