import { expect, test } from 'vitest'
import { checksNoAnswers } from '../../contract/checksNoAnswers.ts'
import { run } from './index.ts'
import { runWorld } from './runWorld.ts'

checksNoAnswers('nothing outside of the guard is real')

test('default: in 100 simulated worlds every budget, call and report of the guard holds', async () => {
  const { ok, figures } = await run({ short: true, numbers: new Map([['worlds', 100]]) })
  expect(figures).toMatchObject({ worlds: 100, violations: 0, unequal: 0 })
  expect(figures.steps).toBeGreaterThan(3000)
  expect(ok).toBe(true)
})

test('behavior: a seed gives the same world, event by event', async () => {
  const [first, second, other] = [
    await runWorld({ seed: 7 }),
    await runWorld({ seed: 7 }),
    await runWorld({ seed: 8 }),
  ]
  expect(second.trace).toEqual(first.trace)
  expect(other.hash).not.toBe(first.hash)
})
