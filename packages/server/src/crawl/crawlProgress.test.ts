import { expect, test } from 'vitest'
import { createProgressKeeper } from './crawlProgress.ts'

function setUp() {
  const time = { now: 0 }
  const keeper = createProgressKeeper({ now: () => time.now })
  const follow = (handled: number, due: number) => {
    time.now++
    keeper.follow(handled, due)
    const { round, lastFinishedAt } = keeper.read()
    return [round && `${round.looked}/${round.total} from ${round.startedAt}`, lastFinishedAt]
  }
  return { keeper, follow }
}

test('default: a round ends once as many endpoints are handled as were due at its start', () => {
  const { keeper, follow } = setUp()
  expect(follow(0, 3)).toEqual(['0/3 from 1', null])
  expect(follow(2, 5)).toEqual(['2/3 from 1', null])
  expect(follow(3, 4)).toEqual(['0/4 from 3', 3])
  expect(follow(7, 0)).toEqual([null, 4])
  expect(follow(7, 0)).toEqual([null, 4])
  expect(keeper.read().due).toBe(0)
})

test('behavior: a round without anything left to do ends', () => {
  const { keeper, follow } = setUp()
  follow(0, 3)
  expect(follow(1, 0)).toEqual([null, 2])
  keeper.leave()
  expect(keeper.read()).toMatchObject({ round: null, lastFinishedAt: null })
  // An empty first round counts as finished.
  expect(follow(1, 0)).toEqual([null, 3])
})
