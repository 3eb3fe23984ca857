import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { LeaseLostError } from '../facts/storeError.ts'
import { logFailure } from '../lib/logFailure.ts'
import { LEASE_MS, type Lease } from '../store/leases.ts'

/** A lease that this process holds. Writes under it name it, so that the store refuses late ones. */
export type Held = {
  readonly lease: Lease
  /** Fires with {@link LeaseLostError} if the lease is lost, and with the caller's reason if its signal fires. */
  readonly signal: AbortSignal
}

/** A lease that was taken elsewhere and is kept until it is left. */
export type Adopted = Held & {
  /** Releases the lease once no other work of this process uses it. */
  leave(): Promise<void>
}

/** The leases of one process. All work on a host runs under the host's lease, one piece at a time. */
export type HostLeases = {
  /**
   * Runs work on a host. Waits for other work of this process on the host, then uses the lease that the process holds,
   * or takes it as soon as no other process does.
   * @throws the signal's reason if that fires while waiting
   * @throws StoreUnavailableError if the lease cannot be taken
   */
  alone<T>(host: string, work: (held: Held) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Keeps a lease that was taken, and lets other work on its host use it. */
  adopt(lease: Lease): Adopted
}

type Current = { readonly lease: Lease; readonly lost: AbortController; endsAt: number }
type Place = {
  /** Ends when all work that came so far is done. */
  tail: Promise<unknown>
  current: Current | undefined
  /** Number of adoptions, and of work that waits or runs. */
  users: number
}

/** Interval of attempts to take a lease that another process holds. */
const POLL_MS = 150
const RENEW_EVERY_MS = LEASE_MS / 3

/** Creates the leases, none of them held. Logs failures of renewals and releases: a lease that is not released ends by itself. */
export function createHostLeases({
  clock,
  log,
  store,
}: Pick<Context, 'clock' | 'log' | 'store'>): HostLeases {
  const places = new Map<string, Place>()
  let timer: NodeJS.Timeout | undefined

  const lose = (place: Place, current: Current) => {
    if (place.current === current) place.current = undefined
    current.lost.abort(new LeaseLostError(`The lease of ${current.lease.name} is lost`))
  }
  const renew = async (place: Place, current: Current) => {
    const endsAt = performance.now() + LEASE_MS
    // Without an answer of the database the lease ends too.
    if (performance.now() >= current.endsAt) return lose(place, current)
    try {
      if (await store.write('renewLease', current.lease)) current.endsAt = endsAt
      else lose(place, current)
    } catch (error) {
      logFailure(log, 'leases', error)
    }
  }
  const renewAll = () => {
    for (const place of places.values()) if (place.current) void renew(place, place.current)
  }

  const enter = (host: string): Place => {
    const place = places.get(host) ?? { tail: Promise.resolve(), current: undefined, users: 0 }
    places.set(host, place)
    place.users++
    timer ??= setInterval(renewAll, RENEW_EVERY_MS).unref()
    return place
  }
  const leave = async (host: string, place: Place) => {
    place.users--
    if (place.users > 0) return
    const { current } = place
    place.current = undefined
    // Work that arrives now waits for the release, instead of polling for a lease of the same process.
    if (current)
      place.tail = store
        .write('releaseLease', current.lease, clock.now())
        .catch((error: unknown) => logFailure(log, 'leases', error))
    await place.tail
    if (place.users > 0 || places.get(host) !== place) return
    places.delete(host)
    if (places.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  const keep = (place: Place, lease: Lease, endsAt: number): Current => {
    if (place.current) lose(place, place.current)
    const current = { lease, lost: new AbortController(), endsAt }
    place.current = current
    return current
  }

  const take = async (host: string, place: Place, signal?: AbortSignal): Promise<Current> => {
    for (;;) {
      signal?.throwIfAborted()
      if (place.current) return place.current
      const endsAt = performance.now() + LEASE_MS
      const lease = await store.write('takeLease', host)
      if (lease) return keep(place, lease, endsAt)
      // The crawl may have adopted it meanwhile.
      if (!place.current) await sleep(POLL_MS, undefined, signal && { signal }).catch(() => undefined)
    }
  }

  return {
    async alone(host, work, callers) {
      // Its own signal, since each wait adds a listener, and many callers may share one.
      const signal = callers && AbortSignal.any([callers])
      const place = enter(host)
      const before = place.tail
      let finish = () => {}
      place.tail = Promise.all([before, new Promise<void>((resolve) => (finish = resolve))])
      try {
        await unlessAborted(before, signal)
        const current = await take(host, place, signal)
        const { lease, lost } = current
        const either = signal ? AbortSignal.any([signal, lost.signal]) : lost.signal
        return await work({ lease, signal: either }).catch((error: unknown) => {
          // The store knows of a loss before the next renewal does.
          if (error instanceof LeaseLostError) lose(place, current)
          throw error
        })
      } finally {
        finish()
        await leave(host, place)
      }
    },
    adopt(lease) {
      const place = enter(lease.name)
      const { lost } = keep(place, lease, performance.now() + LEASE_MS)
      return { lease, signal: lost.signal, leave: () => leave(lease.name, place) }
    },
  }
}

/** Waits for earlier work. @throws the signal's reason if that fires first */
async function unlessAborted(before: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return void (await before)
  signal.throwIfAborted()
  let onAbort = () => {}
  const aborted = new Promise((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  await Promise.race([before, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}
