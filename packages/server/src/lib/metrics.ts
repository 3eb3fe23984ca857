import type { RequestListener } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { untilAborted } from './untilAborted.ts'

/** The metrics of one process, and the listener that serves them, for a private address. */
export type Metrics = {
  /** Counts an answered request. */
  request(record: {
    route: string
    method: string
    status: number
    durationMs: number
    /** Whether the answer was a cache hit. */
    fromMemory: boolean
    /** Whether the client left before the answer. */
    isAborted: boolean
  }): void
  /** Counts a call of a paid operation. */
  sale(sale: { operation: string; outcome: string }): void
  /** Counts a payment fault by the step that failed. */
  paymentFault(fault: { step: (typeof PAYMENT_STEPS)[number] }): void
  /** Counts a finished probe. */
  probe(probe: { purpose: string; outcome: string }): void
  /** Counts a connection that is closed at once, by whose limit is reached. */
  connectionRefused(refused: { limit: string }): void
  /** Counts an attempt to deliver a message to a webhook. */
  webhookAttempt(attempt: { outcome: string }): void
  /** Registers a gauge that is read at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** Registers a counter that is read at each scrape; its name ends with `_total`. */
  total(name: string, help: string, read: () => number): void
  /** Registers a counter with one label that is read at each scrape; its name ends with `_total`. */
  totalBy(name: string, help: string, label: string, read: () => ByLabel | Promise<ByLabel>): void
  /** Registers a gauge with one label that is read at each scrape. */
  gaugeBy(name: string, help: string, label: string, read: () => ByLabel | Promise<ByLabel>): void
  /** Serves `GET /metrics` in the Prometheus text format, and 404 for anything else. */
  readonly listener: RequestListener
}

type ByLabel = Readonly<Record<string, number>>

/** Time for one reading, in ms: Prometheus waits for 10 s, and without an answer sees none of the other metrics. */
const READ_MS = 2000

/** Returns what stands for it if a reading fails or hangs. */
export const orElse = <T>(read: Promise<T>, otherwise: T): Promise<T> =>
  Promise.race([read, untilAborted(AbortSignal.timeout(READ_MS))]).catch(() => otherwise)

/** Steps at which a payment fails, or what was found of it later. */
const PAYMENT_STEPS = [
  'verify',
  'settle',
  'denied',
  'contradicted',
  'confirm',
  'claim',
  'handler',
  'late',
  'missing',
] as const

const PREFIX = 'touchstone_'
const BUCKETS_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]
// Clients choose the method, so others share one label: each label value costs memory.
const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Creates the metrics of one process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers })
  const requests = counter(
    'http_requests_total',
    'Answered requests; status is its class, or "aborted" if the client left first.',
    ['route', 'method', 'status', 'memory'],
  )
  const sales = counter('paid_calls_total', 'Calls of paid operations, by outcome.', ['operation', 'outcome'])
  const faults = counter('payment_faults_total', 'Payment faults, by step.', ['step'])
  // The first fault is an increase only if there was a zero before.
  for (const step of PAYMENT_STEPS) faults.inc({ step }, 0)
  const probes = counter('probes_total', 'Probes, by purpose and outcome.', ['purpose', 'outcome'])
  const refused = counter(
    'http_refused_connections_total',
    'Connections closed at once, by the limit that is reached: of a client or of the server.',
    ['limit'],
  )
  const attempts = counter('webhook_attempts_total', 'Attempts to deliver to webhooks, by outcome.', [
    'outcome',
  ])
  const durations = new Histogram({
    name: `${PREFIX}http_request_seconds`,
    help: 'Time to answer requests that missed the cache.',
    labelNames: ['route'],
    buckets: BUCKETS_SECONDS,
    registers,
  })

  return {
    request: ({ route, method, status, durationMs, fromMemory, isAborted }) => {
      requests.inc({
        route,
        method: METHODS.has(method) ? method : 'other',
        status: isAborted ? 'aborted' : `${Math.floor(status / 100)}xx`,
        memory: String(fromMemory),
      })
      if (!fromMemory) durations.observe({ route }, durationMs / 1000)
    },
    sale: ({ operation, outcome }) => sales.inc({ operation, outcome }),
    paymentFault: ({ step }) => faults.inc({ step }),
    probe: ({ purpose, outcome }) => probes.inc({ purpose, outcome }),
    connectionRefused: ({ limit }) => refused.inc({ limit }),
    webhookAttempt: ({ outcome }) => attempts.inc({ outcome }),
    gauge: (name, help, read) => {
      new Gauge({
        name: PREFIX + name,
        help,
        registers,
        async collect() {
          this.set(await read())
        },
      })
    },
    total: (name, help, read) => {
      new Counter({
        name: PREFIX + name,
        help,
        registers,
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    },
    totalBy: (name, help, label, read) => {
      new Counter({
        name: PREFIX + name,
        help,
        labelNames: [label],
        registers,
        async collect() {
          const counts = await read()
          this.reset()
          for (const [value, count] of Object.entries(counts)) this.inc({ [label]: value }, count)
        },
      })
    },
    gaugeBy: (name, help, label, read) => {
      new Gauge({
        name: PREFIX + name,
        help,
        labelNames: [label],
        registers,
        async collect() {
          this.reset()
          for (const [value, count] of Object.entries(await read())) this.set({ [label]: value }, count)
        },
      })
    },
    listener: (request, response) => {
      if (request.method !== 'GET' || request.url !== '/metrics') {
        response.writeHead(404).end()
        return
      }
      registry.metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
        () => response.writeHead(503).end(),
      )
    },
  }
}
