import type { LogConfig } from '../../config/logSettings.ts'
import { HOUR } from '../../facts/times.ts'
import { type LogState, readLogState } from '../../log/logState.ts'
import { countWaiting, readLogSize } from '../../store/log.ts'
import type { Store } from '../../store/store.ts'
import type { Check } from './createHealth.ts'

type LogCheckDeps = {
  readonly store: Store
  readonly settings: Pick<LogConfig, 'witnesses' | 'everyMs'>
  /** Real Unix time in ms, which checkpoints keep. */
  readonly now: () => number
}

const EVERY_MS = 10_000
/** Cosignatures are renewed every half hour and count for two hours. */
const OLD_COSIGNATURE_MS = HOUR
/** Intervals for which entries may wait. */
const LATE_INTERVALS = 3

/** Checks the newest checkpoint, and which witnesses have signed it. */
export function checkLog({ store, settings, now }: LogCheckDeps): Check {
  const lateMs = Math.max(EVERY_MS, LATE_INTERVALS * settings.everyMs)
  let state: LogState | null = null
  let waiting = Number.NaN
  /** Size of the newest checkpoint, and since when entries wait behind it. */
  let waitsSince: { readonly size: number; readonly at: number } | null = null

  const readState = async (): Promise<LogState> => {
    const read = await readLogState(store, settings.witnesses, now())
    // Those with a place wait too, while too few witnesses sign it.
    waiting = (await countWaiting(store)) + Math.max(0, (await readLogSize(store)) - read.size)
    if (waiting === 0) waitsSince = null
    else if (waitsSince?.size !== read.size) waitsSince = { size: read.size, at: performance.now() }
    state = read
    return read
  }
  return {
    name: 'log',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: { level: 'degraded', status: 'unknown' },
    async run() {
      const { checkpointAt, cosignedAt, refusal } = await readState()
      // The process that writes the log warns of it at each attempt.
      if (refusal !== null) return { level: 'degraded', status: 'not signed' }
      const late = waitsSince !== null && performance.now() - waitsSince.at > lateMs
      const missing = Object.entries(cosignedAt).flatMap(([name, at]) =>
        checkpointAt !== null && !(now() - (at ?? 0) < OLD_COSIGNATURE_MS) ? [name] : [],
      )
      if (late)
        return {
          level: 'degraded',
          status: 'late',
          sentence: `${waiting} entries wait for a checkpoint: does a process lead, and do witnesses answer?`,
        }
      if (missing.length > 0)
        return {
          // More than half are enough.
          level: 2 * missing.length < settings.witnesses.length ? 'impaired' : 'degraded',
          status: 'cosignature missing',
          sentence: `the newest checkpoint has no cosignature of the last hour by ${missing.join(', ')}`,
        }
      return { level: 'ok', status: checkpointAt === null ? 'no checkpoint yet' : 'ok' }
    },
    addGauges({ gauge, gaugeBy }) {
      const age = (at: number | null | undefined) =>
        at == null ? Number.NaN : Math.max(0, (now() - at) / 1000)
      gauge('log_checkpoint_age_seconds', 'Age of the newest checkpoint; NaN before the first.', () =>
        age(state?.checkpointAt),
      )
      gauge('log_waiting_entries', 'Entries that no checkpoint covers yet.', () => waiting)
      gaugeBy(
        'log_cosignature_age_seconds',
        'Age of the cosignature of the newest checkpoint, by witness; NaN without one.',
        'witness',
        () =>
          Object.fromEntries(Object.entries(state?.cosignedAt ?? {}).map(([name, at]) => [name, age(at)])),
      )
    },
  }
}
