import { randomBytes } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import type { Metrics } from '../adapters/metrics/createMetrics.ts'
import { createMetrics } from '../adapters/metrics/createMetrics.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../ports/clock.ts'

/** Takes one line for each thing an operator should know. */
export type Log = (level: 'info' | 'warn', message: string) => void

/** What every part is put together with. */
export type Scope = {
  readonly config: Config
  readonly clock: Clock
  readonly lookup: LookupFunction | undefined
  readonly hasProberThread: boolean
  readonly metrics: Metrics
  readonly log: Log
  /** Takes a fault that nobody waits for, with what it is a fault of. */
  readonly warn: (what: string) => (error: unknown) => void
  readonly newId: (prefix: string) => string
  /** Notes what has to be done when the process ends; the last noted is done first. */
  onStop(cleanup: () => Promise<unknown> | unknown): void
  stop(): Promise<void>
}

/** Makes the scope of one process. */
export function createScope(
  config: Config,
  options: { clock: Clock; lookup?: LookupFunction | undefined; hasProberThread: boolean; log: Log },
): Scope {
  const cleanups: (() => Promise<unknown> | unknown)[] = []
  const { log } = options
  return {
    config,
    clock: options.clock,
    lookup: options.lookup,
    hasProberThread: options.hasProberThread,
    metrics: createMetrics(),
    log,
    warn: (what) => (error) => log('warn', `${what}: ${messageOf(error)}`),
    newId: (prefix) => `${prefix}_${randomBytes(9).toString('base64url')}`,
    onStop: (cleanup) => void cleanups.push(cleanup),
    async stop() {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
    },
  }
}

/** What went wrong, in words. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
