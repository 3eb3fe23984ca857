import type { RequestListener } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createRequestCounts } from './requestCounts.ts'

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
  const requests = createRequestCounts()
  new Counter({
    name: `${PREFIX}http_requests_total`,
    help: 'Answered requests; status is its class, "aborted" where the client left first.',
    labelNames: ['route', 'method', 'status', 'memory'],
    registers,
    collect() {
      this.reset()
      for (const { labels, count } of requests.list()) this.inc(labels, count)
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
      requests.count(route, method, isAborted ? null : status, fromMemory)
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
