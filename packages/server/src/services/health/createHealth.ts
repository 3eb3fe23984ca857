import type { Readiness } from '../../http/deps.ts'
import { messageOf } from '../../lib/errors.ts'
import type { Log } from '../../lib/logging.ts'
import type { Metrics } from '../../lib/metrics.ts'

/** The parts whose state is known. */
export type CheckName =
  | 'store'
  | 'chain'
  | 'confirmation'
  | 'facilitator'
  | 'directories'
  | 'crawl'
  | 'log'
  | 'map'
  | 'clock'

/** State of a part. */
export type Finding = {
  /**
   * `down`: this process cannot answer correctly, so `/readyz` is 503. `degraded`: something outside fails, and likely for
   * every process, so that a load balancer would take all of them out at once. `impaired`: one of several fails, such as a
   * fallback, and nothing is refused for it.
   */
  readonly level: 'ok' | 'impaired' | 'degraded' | 'down'
  /** A few words without names or secrets, for `/readyz`, which is public. */
  readonly status: string
  /** Log line for the operator. @default none, since the cause has been logged elsewhere */
  readonly sentence?: string
}

/** Checks one part. */
export type Check = {
  readonly name: CheckName
  readonly everyMs: number
  /** State to report while {@link run} takes longer than `patienceMs`. */
  readonly unanswered: Finding
  readonly patienceMs: number
  /** Finds the state. May reject, with the same meaning as {@link unanswered}. */
  run(): Promise<Finding>
  /** Receives a function to call when the state may have changed before the next run. @default it is found by runs alone */
  onChange?(rerun: () => void): void
  /** Registers gauges of its findings. @default only its state */
  addGauges?(metrics: Metrics): void
}

/** The state of all parts. */
export type Health = {
  /** Returns the kept state at once; nothing is waited for. */
  read(): Readiness
  addGauges(metrics: Metrics): void
  /** Runs one check, and resolves when its state is kept. */
  run(name: CheckName): Promise<void>
  /** Repeats the checks. Returns a function that ends them. */
  start(): () => void
}

export type HealthDeps = {
  readonly checks: readonly Check[]
  readonly log: Log
  /** Whether the process stops and takes no new requests. */
  readonly isStopping: () => boolean
}

type Kept = { finding: Finding; since: number; isRunning: boolean; isOutdated: boolean }

const UNKNOWN: Finding = { level: 'ok', status: 'unknown' }

/**
 * Runs a check once. One that throws, or takes longer than its patience, is unanswered.
 * @returns the finding, and when the check no longer runs. Neither rejects
 */
export function runCheck({ run, unanswered, patienceMs }: Pick<Check, 'run' | 'unanswered' | 'patienceMs'>): {
  readonly finding: Promise<Finding>
  readonly ended: Promise<unknown>
} {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(unanswered), patienceMs)
    // A process that has nothing else to do ends.
    timer.unref()
  })
  const ended = run().catch((error: unknown): Finding => {
    return {
      ...unanswered,
      sentence: `${unanswered.sentence ?? unanswered.status}: ${messageOf(error)}`,
    }
  })
  return {
    ended,
    finding: Promise.race([ended, late]).finally(() => clearTimeout(timer)),
  }
}

/** Creates the keeper of the last state of each part, which logs when a fault begins and ends. */
export function createHealth({ checks, log, isStopping }: HealthDeps): Health {
  const kept = new Map<CheckName, Kept>(
    checks.map(({ name }) => [
      name,
      { finding: UNKNOWN, since: performance.now(), isRunning: false, isOutdated: false },
    ]),
  )
  const findings = () => checks.map(({ name }) => [name, kept.get(name)?.finding ?? UNKNOWN] as const)

  const note = (name: CheckName, own: Kept, finding: Finding) => {
    const before = own.finding
    own.finding = finding
    // Checks cancelled by the shutdown fail, which says nothing about their part.
    if (isStopping()) return
    if (before.level === finding.level && before.status === finding.status) return
    const seconds = Math.round((performance.now() - own.since) / 1000)
    const { level, status, sentence } = finding
    const fields = { check: name, status }
    if (level !== 'ok' && sentence !== undefined)
      log('warn', `${name}: ${sentence}`, { event: 'check_failing', ...fields, severity: level })
    if (level === 'ok' && before.sentence !== undefined && before.level !== 'ok')
      log('info', `${name}: works again after ${seconds} s`, { event: 'check_works', ...fields, seconds })
    if ((before.level === 'ok') !== (level === 'ok')) own.since = performance.now()
  }

  const run = async (check: Check) => {
    const own = kept.get(check.name)
    if (own === undefined || own.isRunning) return
    own.isRunning = true
    own.isOutdated = false
    const { finding, ended } = runCheck(check)
    void ended.then(() => {
      own.isRunning = false
      if (own.isOutdated) void run(check)
    })
    note(check.name, own, await finding)
  }

  /** Runs a check whose state has changed, also one that began to run before. */
  const rerun = (check: Check) => {
    const own = kept.get(check.name)
    if (own?.isRunning) own.isOutdated = true
    else void run(check)
  }

  const read = (): Readiness => {
    const all = findings()
    const isAt = (level: Finding['level']) => all.some(([, finding]) => finding.level === level)
    const checks = Object.fromEntries(all.map(([name, { status }]) => [name, status]))
    if (isStopping()) return { status: 'not_ready', checks: { ...checks, process: 'stopping' } }
    if (isAt('down')) return { status: 'not_ready', checks }
    return { status: isAt('degraded') || isAt('impaired') ? 'degraded' : 'ready', checks }
  }

  return {
    read,
    addGauges(metrics) {
      metrics.gauge('ready', '1 while this process can answer, as `/readyz` says; else 0.', () =>
        read().status === 'not_ready' ? 0 : 1,
      )
      const count = (...levels: readonly Finding['level'][]) =>
        Object.fromEntries(findings().map(([name, { level }]) => [name, levels.includes(level) ? 1 : 0]))
      metrics.gaugeBy('check_failing', '1 while a part of the service fails; else 0.', 'check', () =>
        count('degraded', 'down'),
      )
      metrics.gaugeBy(
        'check_impaired',
        '1 while one of several fails of a part, such as a fallback; else 0.',
        'check',
        () => count('impaired'),
      )
      for (const check of checks) check.addGauges?.(metrics)
    },
    async run(name) {
      for (const check of checks) if (check.name === name) await run(check)
    },
    start() {
      const timers = checks.map((check) => {
        void run(check)
        check.onChange?.(() => rerun(check))
        return setInterval(() => void run(check), check.everyMs)
      })
      return () => {
        for (const timer of timers) clearInterval(timer)
      }
    },
  }
}
