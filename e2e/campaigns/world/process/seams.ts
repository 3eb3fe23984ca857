import { AsyncLocalStorage } from 'node:async_hooks'
import nodeCrypto from 'node:crypto'
import http from 'node:http'
import type { Seams } from '../loadGuard.ts'
import type { Disk } from '../outside/disk.ts'
import { createFiles } from '../outside/disk.ts'
import type { Order, Owner } from '../outside/order.ts'
import type { Time, Timer } from '../outside/time.ts'
import { createFakeServer } from './fakeServer.ts'

/** A simulated process. Its timers end with it. */
export type Process = Owner & {
  /** By which its clock is ahead of the true time, in ms. */
  skewMs: number
  readonly timers: Set<Timer>
}

/** Creates a process that runs. */
export const createProcess = (name: string, skewMs: number): Process => ({
  name,
  isDead: false,
  skewMs,
  timers: new Set(),
})

/** Ends a process: nothing that it waits for will come. */
export function killProcess(process: Process): void {
  process.isDead = true
  for (const timer of process.timers) timer.cancel()
}

type Fetch = (process: Process, input: RequestInfo | URL, init?: RequestInit) => Promise<Response>

/** The world around a process. */
export type Surroundings = {
  readonly time: Time
  readonly order: Order
  readonly disk: Disk
  readonly random: () => number
  readonly fetch: Fetch
}

/**
 * A place for one process at a time. The guard is loaded into it once, and reaches whatever process and world are there by
 * then: loading takes longer than a world.
 */
export type Slot = { process: Process; world: Surroundings }

/** Returns what the guard in a slot sees in place of clock, randomness, network, disk and HTTP server. */
export function createSeams(slot: Slot): Seams {
  const now = () => slot.world.time.now() + slot.process.skewMs
  const fetch = (input: RequestInfo | URL, init?: RequestInit) => slot.world.fetch(slot.process, input, init)
  const { startTimer, stopTimer } = createTimers(slot)
  const crypto = createCrypto(slot)
  const globals = {
    Date: createDate(now),
    setTimeout: startTimer,
    clearTimeout: stopTimer,
    crypto: crypto.web,
    fetch,
    AbortSignal: createSignals(startTimer),
  }
  const server = { ...http, createServer: createFakeServer }
  return {
    globals: { ...globals, globalThis: createGlobal(globals) },
    modules: {
      'node:fs/promises': createFiles(slot),
      'node:async_hooks': createAsyncHooks(),
      'node:crypto': crypto.node,
      'node:http': { ...server, default: server },
    },
  }
}

/** Node carries every storage along with every promise, so those of earlier processes are switched off. */
function createAsyncHooks() {
  let last: AsyncLocalStorage<unknown> | undefined
  class OfProcess<T> extends AsyncLocalStorage<T> {
    constructor() {
      super()
      last?.disable()
      last = this as AsyncLocalStorage<unknown>
    }
  }
  return { AsyncLocalStorage: OfProcess }
}

function createGlobal(globals: object): object {
  const own = Object.create(globalThis)
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(own, name, { value })
  return own
}

function createDate(now: () => number) {
  return class extends Date {
    constructor(...given: [] | [number | string]) {
      super(...((given.length === 0 ? [now()] : given) as [number]))
    }
    static override now = now
  }
}

function createTimers(slot: Slot) {
  const startTimer = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
    const { process, world } = slot
    const timer = world.time.after(ms, () => {
      process.timers.delete(timer)
      run(...given)
    })
    process.timers.add(timer)
    return Object.assign(timer, { unref: () => timer, ref: () => timer })
  }
  const stopTimer = (timer: Timer | undefined) => {
    if (timer !== undefined) slot.process.timers.delete(timer)
    timer?.cancel()
  }
  return { startTimer, stopTimer }
}

// One for all, since its stack takes longer than the call that it ends.
const TIMED_OUT = new DOMException('The operation timed out.', 'TimeoutError')

function createSignals(startTimer: ReturnType<typeof createTimers>['startTimer']) {
  return {
    any: (signals: AbortSignal[]) => AbortSignal.any(signals),
    abort: (reason?: unknown) => AbortSignal.abort(reason),
    timeout(ms: number): AbortSignal {
      const end = new AbortController()
      startTimer(() => end.abort(TIMED_OUT), ms)
      return end.signal
    },
  }
}

/** Randomness of the world's seed, and hashes that are ready at once. */
function createCrypto(slot: Slot) {
  const fill = <T extends Uint8Array>(bytes: T): T => {
    for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(slot.world.random() * 256)
    return bytes
  }
  const randomBytes = (size: number) => fill(Buffer.alloc(size))
  const randomUUID = () =>
    randomBytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const digest = async (name: string, data: BufferSource) => {
    const hash = nodeCrypto.createHash(name.replace('-', '').toLowerCase())
    const bytes = ArrayBuffer.isView(data)
      ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
      : Buffer.from(data)
    return new Uint8Array(hash.update(bytes).digest()).buffer
  }
  const node = { ...nodeCrypto, randomBytes, randomUUID }
  return {
    node: { ...node, default: node },
    web: { getRandomValues: fill, randomUUID, subtle: { digest } },
  }
}
