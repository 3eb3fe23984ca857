import type { Config } from './config/config.ts'
import type { Clock } from './lib/clock.ts'
import type { Ids } from './lib/ids.ts'
import type { Log } from './lib/logging.ts'
import type { Metrics } from './lib/metrics.ts'
import type { Store } from './store/store.ts'

/**
 * Shared state of one process. `services` makes it once. It is the first argument of functions that need more than one part;
 * each names its parts, such as `Pick<Context, 'clock' | 'store'>`.
 */
export type Context = {
  readonly config: Config
  /** The audit's clock. Payments and network timeouts use real time. */
  readonly clock: Clock
  /** Receives log lines for the operator. */
  readonly log: Log
  readonly metrics: Metrics
  readonly store: Store
  readonly ids: Ids
  /** Returns a number from 0 to below 1 that earlier ones do not reveal. */
  readonly random: () => number
  /** Fires when the process begins to stop. */
  readonly stopping: AbortSignal
}
