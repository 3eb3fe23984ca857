import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { LeaseLostError } from '../facts/storeError.ts'
import { DAY } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import { withUnits } from '../store/testing/withFaults.ts'
import { openStore } from './testing/openStore.ts'
import { createProbes, directoryOf, startCrawl } from './testing/startCrawl.ts'

const LEADER = ':leader'
const patient = { timeout: 30_000, interval: 10 }

/** Creates the work of a leader, which records who leads and which of them has ended. */
function createLead() {
  const led: string[] = []
  const ended: string[] = []
  const by = (name: string) => async (signal: AbortSignal) => {
    led.push(name)
    await once(signal, 'abort')
    ended.push(name)
  }
  return { led, ended, by }
}

/** A clock of its own for each process, whose pauses are short. */
const quick = () => {
  let ahead = 0
  return {
    ...systemClock,
    now: () => Date.now() + ahead,
    async sleep(ms: number, signal?: AbortSignal) {
      await systemClock.sleep(2, signal)
      ahead += ms
    },
  }
}

test('default: one of the processes leads, and another once it stops', async () => {
  const store = await openStore()
  const { led, ended, by } = createLead()
  const directories = [directoryOf('file', ['a.example'])]
  const first = startCrawl(store, createProbes(), { lead: by('first'), directories, clock: quick() })
  await expect.poll(() => led, patient).toEqual(['first'])
  const takeLease = vi.fn((name: string) => store.write('takeLease', name))
  const shared = withUnits(store, { takeLease })
  const second = startCrawl(shared, createProbes(), { lead: by('second'), directories, clock: quick() })
  await expect.poll(() => takeLease.mock.calls.length, patient).toBeGreaterThan(1)
  expect(led).toEqual(['first'])
  expect(second.crawler.progress()).toMatchObject({ discoveries: 0, listed: 0 })
  await first.stop()
  expect(ended).toEqual(['first'])
  await expect.poll(() => led, patient).toEqual(['first', 'second'])
  await expect.poll(() => second.crawler.progress(), patient).toMatchObject({ discoveries: 1, listed: 1 })
  expect([...first.errors, ...second.errors]).toEqual([])
})

test('behavior: another process takes over from a dead leader, which ends its work if it wakes up', async () => {
  const store = await openStore()
  const { led, ended, by } = createLead()
  const { hostLeases } = startCrawl(store, createProbes(), { lead: by('first'), clock: quick() })
  await expect.poll(() => led, patient).toEqual(['first'])
  await store.expire(LEADER)
  startCrawl(store, createProbes(), { lead: by('second'), clock: quick() })
  await expect.poll(() => led, patient).toEqual(['first', 'second'])
  expect(ended).toEqual([])
  // As the next renewal would find out.
  const late = hostLeases.alone(LEADER, () => Promise.reject(new LeaseLostError('lost')))
  await expect(late).rejects.toThrow('lost')
  await expect.poll(() => ended, patient).toEqual(['first'])
})

test('error: reports failed work of the leader, leads again, and rereads the directories', async () => {
  const store = await openStore()
  let now = 0
  let times = 0
  let reads = 0
  const file = directoryOf('file', [])
  const pages = () => {
    reads++
    return file.pages()
  }
  const { crawler, errors } = startCrawl(store, createProbes(), {
    directories: [{ name: 'file', mayBeEmpty: true, pages }],
    // Nothing but the end of a term ends a pause.
    clock: {
      now: () => now,
      hold: () => () => {},
      async sleep(_, signal) {
        now += 1_000
        await systemClock.sleep(DAY, signal)
      },
    },
    async lead() {
      times++
      await expect.poll(() => crawler.progress().discoveries, patient).toBe(1)
      if (times < 3) throw new Error('no log')
    },
  })
  await expect.poll(() => times, patient).toBe(3)
  await expect.poll(() => reads, patient).toBe(3)
  expect(errors).toEqual(['leader failed: no log', 'leader failed: no log'])
})

test('behavior: drops endpoints that are gone once a day, after the directories were read', async () => {
  const store = await openStore()
  let now = Date.UTC(2026, 5, 1)
  const calls: string[] = []
  const left = [2, 1, 0, 0]
  const iso = (at: number) => new Date(at).toISOString().slice(0, 13)
  startCrawl(
    withUnits(store, {
      async dropDead(darkSince, listedSince) {
        calls.push(`${iso(now)}: ${iso(darkSince)} ${iso(listedSince)}`)
        return left.shift() ?? 0
      },
    }),
    createProbes(),
    {
      clock: {
        now: () => now,
        hold: () => () => {},
        async sleep(ms, signal) {
          await systemClock.sleep(calls.length < 4 ? 0 : DAY, signal)
          now += ms
        },
      },
    },
  )
  await expect
    .poll(() => calls, patient)
    .toEqual([
      ...Array.from({ length: 3 }, () => '2026-06-01T01: 2026-03-03T01 2026-05-25T01'),
      '2026-06-02T01: 2026-03-04T01 2026-05-26T01',
    ])
})
