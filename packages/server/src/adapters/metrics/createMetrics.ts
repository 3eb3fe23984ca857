import type { RequestListener } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What the service counts, and the listener that shows it: for an address of its own, never the public one. */
export type Metrics = {
  /** One answered request. */
  request(record: {
    route: string
    method: string
    status: number
    durationMs: number
    fromMemory: boolean
    isAborted: boolean
  }): void
  /** One call of a paid operation. */
  sale(sale: { operation: string; outcome: string }): void
  /** One fault of a payment, by the step that failed. */
  paymentFault(fault: { step: string }): void
  /** One probe that has come back. */
  probe(probe: { purpose: string; outcome: string }): void
  /** A value that is looked up whenever somebody asks. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** A value a label, looked up likewise. */
  gaugeBy(name: string, help: string, label: string, read: () => ByLabel | Promise<ByLabel>): void
  /** Serves `GET /metrics` in the Prometheus text format, and nothing else. */
  readonly listener: RequestListener
}

type ByLabel = Readonly<Record<string, number>>

const PREFIX = 'touchstone_'
const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]

/** Creates the metrics of one process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  // Plain numbers until somebody asks: looking a series up by its labels costs more than an answer from memory.
  const answered = new Map<string, { labels: Record<string, string>; count: number }>()
  new Counter({
    name: `${PREFIX}http_requests_total`,
    help: 'Answered requests; status is its class, "aborted" where the client left first.',
    labelNames: ['route', 'method', 'status', 'memory'],
    registers,
    collect() {
      this.reset()
      for (const { labels, count } of answered.values()) this.inc(labels, count)
    },
  })
  const durations = new Histogram({
    name: `${PREFIX}http_request_seconds`,
    help: 'Time to answer what did not lie ready.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  })
  const sales = new Counter({
    name: `${PREFIX}paid_calls_total`,
    help: 'Calls of paid operations, by how they ended.',
    labelNames: ['operation', 'outcome'],
    registers,
  })
  const faults = new Counter({
    name: `${PREFIX}payment_faults_total`,
    help: 'Faults on the way of a payment, by step.',
    labelNames: ['step'],
    registers,
  })
  const probes = new Counter({
    name: `${PREFIX}probes_total`,
    help: 'Probes, by purpose and outcome.',
    labelNames: ['purpose', 'outcome'],
    registers,
  })

  return {
    request: ({ route, method, status, durationMs, fromMemory, isAborted }) => {
      const verb = METHODS.has(method) ? method : 'other'
      const outcome = isAborted ? 'aborted' : `${Math.floor(status / 100)}xx`
      const memory = fromMemory ? 'true' : 'false'
      const key = `${route} ${verb} ${outcome} ${memory}`
      const series = answered.get(key)
      if (series !== undefined) series.count++
      else answered.set(key, { labels: { route, method: verb, status: outcome, memory }, count: 1 })
      if (!fromMemory) durations.observe({ route }, durationMs / 1000)
    },
    sale: ({ operation, outcome }) => sales.inc({ operation, outcome }),
    paymentFault: ({ step }) => faults.inc({ step }),
    probe: ({ purpose, outcome }) => probes.inc({ purpose, outcome }),
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

const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
