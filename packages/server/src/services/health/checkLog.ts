import { cosignedAt, parseWitnessKey } from '@touchstone402/shared/log'
import { parseNote } from '@touchstone402/shared/notes'
import type { LogConfig } from '../../config/logSettings.ts'
import { HOUR } from '../../facts/times.ts'
import type { LogStore } from '../../ports/log.ts'
import type { Check } from './createHealth.ts'

type LogCheckDeps = {
  readonly log: Pick<LogStore, 'head' | 'countWaiting'>
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
export function checkLog({ log, settings, now }: LogCheckDeps): Check {
  const witnesses = settings.witnesses.map(({ key }) => parseWitnessKey(key))
  const lateMs = Math.max(EVERY_MS, LATE_INTERVALS * settings.everyMs)
  let checkpointAt = Number.NaN
  let waiting = Number.NaN
  /** Size of the newest checkpoint, and since when entries wait behind it. */
  let waitsSince: { readonly size: number; readonly at: number } | null = null
  /** Unix time in ms of the cosignatures of the newest checkpoint, by witness. */
  let cosigned: Readonly<Record<string, number>> = {}

  const readHead = async () => {
    const head = await log.head()
    waiting = await log.countWaiting()
    checkpointAt = head?.at ?? Number.NaN
    const size = head?.size ?? 0
    if (waiting === 0) waitsSince = null
    else if (waitsSince?.size !== size) waitsSince = { size, at: performance.now() }
    const signatures = head === null ? [] : parseNote(head.note).signatures
    cosigned = Object.fromEntries(
      witnesses.map(({ name, keyId }) => {
        const own = signatures.find((line) => line.name === name && line.keyId === keyId)
        const seconds = own === undefined ? undefined : cosignedAt(own.signature)
        return [name, seconds === undefined ? Number.NaN : seconds * 1000]
      }),
    )
    return head
  }
  return {
    name: 'log',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: { level: 'degraded', status: 'unknown' },
    async look() {
      const head = await readHead()
      const late = waitsSince !== null && performance.now() - waitsSince.at > lateMs
      const missing = Object.entries(cosigned).flatMap(([name, at]) =>
        head !== null && !(now() - at < OLD_COSIGNATURE_MS) ? [name] : [],
      )
      if (missing.length > 0)
        return {
          level: 'degraded',
          status: 'cosignature missing',
          sentence: `the newest checkpoint has no cosignature of the last hour by ${missing.join(', ')}`,
        }
      if (late)
        return {
          level: 'degraded',
          status: 'late',
          sentence: `${waiting} entries wait for a checkpoint: does a process lead, and do witnesses answer?`,
        }
      return { level: 'ok', status: head === null ? 'no checkpoint yet' : 'ok' }
    },
    addGauges({ gauge, gaugeBy }) {
      gauge('log_checkpoint_age_seconds', 'Age of the newest checkpoint; NaN before the first.', () =>
        Math.max(0, (now() - checkpointAt) / 1000),
      )
      gauge('log_waiting_entries', 'Entries that no checkpoint covers yet.', () => waiting)
      gaugeBy(
        'log_cosignature_age_seconds',
        'Age of the cosignature of the newest checkpoint, by witness; NaN without one.',
        'witness',
        () => Object.fromEntries(Object.entries(cosigned).map(([name, at]) => [name, (now() - at) / 1000])),
      )
    },
  }
}
