import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Time } from '../facts/facts.ts'
import { dayKey, inputsKey } from '../facts/leaves.ts'
import { DAY, HOUR, MINUTE, toDate } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { createPace } from '../lib/createPace.ts'
import { dayLeaf, inputsLeaves, type NewSalt } from '../publish/leaves.ts'
import { readHostFacts } from '../store/facts.ts'
import { listHosts } from '../store/listHosts.ts'
import { findLeaf } from '../store/log.ts'
import type { Store } from '../store/store.ts'
import { listDay, listInputs } from './listDay.ts'
import { listPrices } from './listPrices.ts'

export type LogDaysDeps = {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly newSalt: NewSalt
}

/** Time after the end of a day until which its last probes may be written. */
const SETTLED_MS = HOUR
/** Number of days before the last one that are logged if they are not yet. */
const CAUGHT_UP_DAYS = 7

/**
 * Logs a day that has ended: a leaf for each host with probes, then the medians that judgements compare with, which mark
 * the day as done. A stopped pass starts over and skips what is there.
 * @param date `YYYY-MM-DD`
 */
export async function logDay(deps: LogDaysDeps, date: string, signal: AbortSignal): Promise<void> {
  const { store, clock, newSalt } = deps
  if ((await findLeaf(store, inputsKey(date, 0))) !== undefined) return
  const logHost = async (host: string) => {
    if ((await findLeaf(store, dayKey(host, date))) !== undefined) return
    const observations = await digestOf(listDay(store, host, date))
    if (observations.count === 0) return
    const inputs = await digestOf(listInputs(store, host, date))
    const end = Date.parse(`${date}T00:00:00Z`) + DAY
    const { control } = await readHostFacts(store, host)
    // The newest one alone is kept.
    const isOfDay = control !== undefined && control.at < end
    const day = {
      host,
      date,
      count: observations.count,
      looks: observations.digest,
      inputs: inputs.digest,
      control: isOfDay ? control.outcome : null,
    }
    await store.write('addLeaves', [dayLeaf(day, clock.now(), newSalt)])
  }
  const pace = createPace()
  for await (const host of listHosts(store, { order: 'names' }, clock.now())) {
    if (signal.aborted) return
    await pace()
    await logHost(host)
  }
  const now = clock.now()
  await store.write('addLeaves', inputsLeaves(date, await listPrices(store, now), now, newSalt))
}

async function digestOf(lines: AsyncIterable<string>): Promise<{ digest: string; count: number }> {
  const hash = createHash('sha256')
  let count = 0
  for await (const line of lines) {
    hash.update(line)
    count++
  }
  return { digest: hash.digest('base64'), count }
}

/** Logs each day once it has ended, and those before it that an outage left out, until the signal fires. */
export async function logDays(
  deps: LogDaysDeps,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let done = ''; !signal.aborted; ) {
    const last = deps.clock.now() - SETTLED_MS - DAY
    if (toDate(last) !== done)
      await logUntil(deps, last, signal).then(() => {
        done = toDate(last)
      }, onError)
    await sleep(MINUTE, undefined, { signal }).catch(() => undefined)
  }
}

async function logUntil(deps: LogDaysDeps, last: Time, signal: AbortSignal): Promise<void> {
  for (let back = CAUGHT_UP_DAYS; back >= 0 && !signal.aborted; back--)
    await logDay(deps, toDate(last - back * DAY), signal)
}
