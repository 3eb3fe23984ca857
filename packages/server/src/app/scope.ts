import { randomBytes } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import { SALT_BYTES } from '@touchstone402/shared/log'
import { createMetrics } from '../adapters/metrics/createMetrics.ts'
import type { Config } from '../config/config.ts'
import { messageOf } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import { createCleanups } from './cleanups.ts'

/** Receives log lines for the operator. */
export type Log = (level: 'info' | 'warn', message: string) => void

/** Environment of one process, given to the parts that replace the machine's own. */
export type ScopeOptions = {
  readonly clock: Clock
  readonly lookup: LookupFunction | undefined
  readonly hasProberThread: boolean
  readonly log: Log
}

/** Shared dependencies of every part of one process. */
export type Scope = ReturnType<typeof createScope>

/** Creates the scope of one process. */
export function createScope(config: Config, options: ScopeOptions) {
  const { add: onStop, run: stop } = createCleanups()
  return {
    ...options,
    config,
    metrics: createMetrics(),
    /** Returns a handler that logs background errors of a part. */
    warn: (part: string) => (error: unknown) => options.log('warn', `${part}: ${messageOf(error)}`),
    newId: (prefix: string) => `${prefix}_${randomBytes(9).toString('base64url')}`,
    /** Returns the salt of a leaf of the log. */
    newSalt: () => randomBytes(SALT_BYTES).toString('base64'),
    /** Registers a cleanup for when the process stops. */
    onStop,
    stop,
  }
}
