import type { LookupFunction } from 'node:net'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { CrawlProgress } from '../facts/crawlProgress.ts'
import type { RequestRecord } from '../http/deps.ts'
import type { Clock } from '../lib/clock.ts'
import { systemClock } from '../lib/clock.ts'
import { drawRandom } from '../lib/drawRandom.ts'
import { RANDOM_IDS } from '../lib/ids.ts'
import { logFailure, logUntilStop } from '../lib/logFailure.ts'
import type { Log } from '../lib/logging.ts'
import { createMetrics } from '../lib/metrics.ts'
import type { Prober } from '../lib/prober.ts'
import type { RealClient } from '../probe/realClients/realClients.ts'
import type { Store } from '../store/store.ts'
import { createDocumentParser } from './documents/createDocumentParser.ts'
import { createStopper } from './stopper.ts'
import { DOCUMENTS_THREAD } from './threads.ts'
import type { Traces } from './traces.ts'

/** Options of `startApp` and `startWorker`; tests and demonstrations replace parts of the machine with them. */
export type AppOptions = {
  /** The audit's clock. @default the machine's */
  readonly clock?: Clock
  /** Resolves names for probes and directory reads. @default the machine's resolver */
  readonly lookup?: LookupFunction
  /** Receives log lines for the operator. @default ignored */
  readonly log?: Log
  readonly onCrawl?: (progress: CrawlProgress) => void
  /** Receives every request after its answer. */
  readonly onRequest?: (record: RequestRecord) => void
  /** Whether this process crawls; if not, workers on the same database must. @default true */
  readonly crawls?: boolean
  /** Whether a new key may replace a published one whose file is missing. @default false */
  readonly takesNewKeys?: boolean
  /** Whether probes and reads of the chain run in worker threads; only in the built package. @default false */
  readonly hasThreads?: boolean
  /** Programs that the thread of the prober runs as clients. @default none */
  readonly realClients?: readonly RealClient[]
  /** Probes endpoints. @default over the network */
  readonly prober?: Prober
  /** Called when the database has been gone for longer than `databasePatienceMs`. @default the process goes on */
  readonly onGone?: () => void
  /** Time limit for reading the chain for a token answer, in ms. @default 7000 */
  readonly readMs?: number
}

/** Shared dependencies of every part of one process. */
export type Scope = ReturnType<typeof createScope>

/** Node trusts its own, and those of `NODE_EXTRA_CA_CERTS`. */
const NO_AUTHORITIES: readonly string[] = []

/** Creates the scope of one process. */
export function createScope(config: Config, options: AppOptions, { trace, close }: Traces) {
  const { clock = systemClock, log = () => {}, lookup } = options
  const warn =
    (part: string, subject?: string) =>
    (error: unknown): void =>
      logFailure(log, part, error, subject)
  const stopper = createStopper(log)
  const { stopping, onStop } = stopper
  const documents = createDocumentParser({ ...DOCUMENTS_THREAD, onError: warn('documents') })
  onStop('documents', () => documents.close())
  onStop('traces', close)
  const metrics = createMetrics()
  return {
    options,
    /** Returns the context of the process, once the store is open. */
    contextOf: (store: Store): Context => ({
      config,
      clock,
      log,
      metrics,
      store,
      ids: RANDOM_IDS,
      random: drawRandom,
      stopping,
    }),
    /** Parses documents of strangers. */
    documents,
    /** Returns a handler that logs background errors of a part, such as `directory`, and of what it was about. */
    warn,
    trace,
    /** Which addresses may be dialled, and as whom. */
    reach: {
      contact: config.operator.contact,
      allowPrivate: config.developmentAllowHosts,
      ca: NO_AUTHORITIES,
      ...(lookup && { lookup }),
    },
    /**
     * Does work now and at each interval of real time until the process stops. Errors are logged for the part, except those of
     * work that the stop cuts off.
     */
    every(ms: number, part: string, work: () => Promise<void>): void {
      const run = () => void work().catch((error: unknown) => logUntilStop({ log, stopping }, part, error))
      run()
      const timer = setInterval(run, ms)
      stopping.addEventListener('abort', () => clearInterval(timer), { once: true })
    },
    ...stopper,
  }
}
