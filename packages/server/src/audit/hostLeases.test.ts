import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStore } from '../crawl/testing/openStore.ts'
import { LeaseLostError } from '../facts/storeError.ts'
import { systemClock } from '../lib/clock.ts'
import { readState } from '../store/endpoints.ts'
import { LEASE_MS } from '../store/leases.ts'
import { aState } from '../store/testing/documents.ts'
import { type Units, withUnits } from '../store/testing/withFaults.ts'
import { createHostLeases, type Held } from './hostLeases.ts'

const HOST = 'a.example'
const clock = systemClock

/** Opens a store and the leases of two processes that share it. */
async function setUp(units: Units = {}) {
  const store = await openStore()
  const errors: unknown[] = []
  const open = () =>
    createHostLeases({
      store: withUnits(store, units),
      clock,
      log: (_, message) => errors.push(message),
    })
  const isFree = async () => {
    const lease = await store.write('takeLease', HOST)
    if (lease !== null) await store.write('releaseLease', lease, clock.now())
    return lease !== null
  }
  return { store, errors, own: open(), other: open(), isFree }
}

/** Holds the timer of renewals for one test. `pass` lets the time of one renewal pass. */
function holdRenewals() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  return { pass: () => vi.advanceTimersByTimeAsync(LEASE_MS / 3) }
}

/** Creates a gate and work that waits there. */
function createGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

test('default: runs all work on a host one after another under one lease, and releases it', async () => {
  const { own, isFree } = await setUp()
  const events: string[] = []
  const tokens = new Set<string>()
  const work = (name: string) => () =>
    own.alone(HOST, async ({ lease }) => {
      tokens.add(lease.token)
      events.push(`${name} begins`)
      await sleep(5)
      events.push(`${name} ends`)
      return name
    })
  expect(await Promise.all([work('one')(), work('two')()])).toEqual(['one', 'two'])
  expect(events).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
  expect(tokens.size).toBe(1)
  expect(await isFree()).toBe(true)
})

test('behavior: works on several hosts at once', async () => {
  const { own } = await setUp()
  const gate = createGate()
  const first = own.alone(HOST, () => gate.opened)
  await own.alone('b.example', async () => gate.open())
  await first
})

test('behavior: waits while another process works on the host', async () => {
  const { own, other } = await setUp()
  const gate = createGate()
  const events: string[] = []
  const first = other.alone(HOST, async () => {
    await gate.opened
    events.push('other')
  })
  const second = own.alone(HOST, async () => void events.push('own'))
  await sleep(20)
  gate.open()
  await Promise.all([first, second])
  expect(events).toEqual(['other', 'own'])
})

test('error: stops waiting once the signal fires, behind own work and behind another process', async () => {
  const { own, other, isFree } = await setUp()
  const gate = createGate()
  const busy = other.alone(HOST, () => gate.opened)
  const neverRuns = vi.fn(async () => {})
  const leaving = new AbortController()
  const waiting = [1, 2].map(() => own.alone(HOST, neverRuns, leaving.signal))
  await sleep(10)
  leaving.abort(new Error('the client has gone'))
  for (const one of waiting) await expect(one).rejects.toThrow('the client has gone')
  await expect(own.alone(HOST, neverRuns, leaving.signal)).rejects.toThrow('the client has gone')
  gate.open()
  await busy
  expect(neverRuns).not.toHaveBeenCalled()
  expect(await isFree()).toBe(true)
})

test('behavior: work that leaves the queue does not let later work overtake the work that runs', async () => {
  const { own } = await setUp()
  const gate = createGate()
  const events: string[] = []
  const first = own.alone(HOST, async () => {
    await gate.opened
    events.push('first')
  })
  const left = own.alone(HOST, async () => {}, AbortSignal.abort(new Error('gone')))
  const last = own.alone(HOST, async () => void events.push('last'))
  await expect(left).rejects.toThrow('gone')
  await sleep(10)
  gate.open()
  await Promise.all([first, last])
  expect(events).toEqual(['first', 'last'])
})

test('behavior: live work joins a slice of the crawl between two probes', async () => {
  const { store, own, isFree } = await setUp()
  const lease = await store.write('takeLease', HOST)
  if (lease === null) throw new Error('lease is not taken')
  const slice = own.adopt(lease)
  const events: string[] = []
  const probe = (name: string) =>
    own.alone(HOST, async (held) => {
      expect(held.lease).toEqual(lease)
      await sleep(5)
      events.push(name)
    })
  const first = probe('first probe')
  const live = probe('live check')
  await first
  await probe('second probe')
  await live
  expect(events).toEqual(['first probe', 'live check', 'second probe'])
  expect(await isFree()).toBe(false)
  await slice.leave()
  expect(await isFree()).toBe(true)
})

test('behavior: work that outlasts the slice keeps the lease', async () => {
  const { store, own, isFree } = await setUp()
  const lease = await store.write('takeLease', HOST)
  if (lease === null) throw new Error('lease is not taken')
  const slice = own.adopt(lease)
  const gate = createGate()
  const live = own.alone(HOST, () => gate.opened)
  await slice.leave()
  expect(await isFree()).toBe(false)
  gate.open()
  await live
  expect(await isFree()).toBe(true)
})

test('behavior: work that comes during the release waits for it, and polls for nothing', async () => {
  let next: Promise<void> | undefined
  const units: Units = {}
  const { store, own } = await setUp(units)
  const takeLease = vi.fn((name: string) => store.write('takeLease', name))
  units.takeLease = takeLease
  units.releaseLease = async (...args) => {
    await sleep(1)
    next ??= own.alone(HOST, async () => {})
    await sleep(20)
    await store.write('releaseLease', ...args)
  }
  await own.alone(HOST, async () => {})
  await next
  expect(takeLease).toHaveBeenCalledTimes(2)
})

test('behavior: renews every lease that is held, and tells its work once one is lost', async () => {
  const { pass } = holdRenewals()
  const { store, own } = await setUp()
  const gate = createGate()
  const seen: Held[] = []
  const working = own.alone(HOST, async (held) => {
    seen.push(held)
    await gate.opened
  })
  await expect.poll(() => seen.length).toBe(1)
  for (let round = 0; round < 6; round++) await pass()
  expect(seen[0]?.signal.aborted).toBe(false)
  await store.expire(HOST)
  await pass()
  await expect.poll(() => seen[0]?.signal.aborted).toBe(true)
  expect(seen[0]?.signal.reason).toBeInstanceOf(LeaseLostError)
  gate.open()
  await working
  // The next work takes a new lease.
  await own.alone(HOST, async (held) => void seen.push(held))
  expect(seen[1]?.lease.token).not.toBe(seen[0]?.lease.token)
  expect(seen[1]?.signal.aborted).toBe(false)
})

test('behavior: a lease that cannot be renewed ends after its time', async () => {
  const renewLease = () => Promise.reject(new Error('no database'))
  const { pass } = holdRenewals()
  const { own, errors } = await setUp({ renewLease })
  const gate = createGate()
  let signal: AbortSignal | undefined
  const working = own.alone(HOST, async (held) => {
    signal = held.signal
    await gate.opened
  })
  await expect.poll(() => signal).toBeDefined()
  await pass()
  await pass()
  await expect.poll(() => errors.length).toBeGreaterThan(1)
  expect(signal?.aborted).toBe(false)
  const later = performance.now() + LEASE_MS
  const watch = vi.spyOn(performance, 'now').mockImplementation(() => later)
  await pass()
  await expect.poll(() => signal?.aborted).toBe(true)
  watch.mockRestore()
  gate.open()
  await working
})

test('behavior: a process that was paused for too long writes nothing', async () => {
  const { store, own, other } = await setUp()
  const at = clock.now()
  const write = (held: Held, nextProbeAt: number) =>
    store.write(
      'putEndpoint',
      aState({ endpoint: `https://${HOST}/a`, derivedAt: at, nextProbeAt: nextProbeAt }),
      {
        facts: [],
        days: [],
        lease: held.lease,
      },
    )
  let signal: AbortSignal | undefined
  const late = own.alone(HOST, async (held) => {
    signal = held.signal
    await store.expire(HOST)
    await other.alone(HOST, (newer) => write(newer, at + 2))
    await write(held, at + 1)
  })
  await expect(late).rejects.toBeInstanceOf(LeaseLostError)
  expect(signal?.aborted).toBe(true)
  expect((await readState(store, `https://${HOST}/a`))?.state.nextProbeAt).toBe(at + 2)
})

test('error: failed work makes room for the next, and a failed release is reported', async () => {
  const releaseLease = () => Promise.reject(new Error('no database'))
  const { own, errors } = await setUp({ releaseLease })
  const failed = own.alone(HOST, () => Promise.reject(new Error('no answer')))
  const next = own.alone(HOST, async () => 'done')
  await expect(failed).rejects.toThrow('no answer')
  expect(await next).toBe('done')
  expect(errors).toEqual(['leases failed: no database'])
})

test('error: rejects if the store cannot lease', async () => {
  const { own } = await setUp({ takeLease: () => Promise.reject(new Error('no database')) })
  await expect(own.alone(HOST, async () => {})).rejects.toThrow('no database')
})
