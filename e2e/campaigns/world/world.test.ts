import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checksNoAnswers } from '../../contract/checksNoAnswers.ts'
import { run } from './index.ts'
import { MUTATIONS, mutate } from './mutations.ts'
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

test('behavior: the rules that mutations undo stand in the guard as they are written there', () => {
  for (const mutation of MUTATIONS) {
    const file = new URL(`../../../packages/guard/src/${mutation.file}`, import.meta.url)
    expect(mutate(readFileSync(file, 'utf8'), mutation)).toContain(mutation.to)
  }
})
