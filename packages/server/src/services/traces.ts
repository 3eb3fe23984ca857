import type { Span } from '@opentelemetry/api'
import { messageOf } from '../lib/errors.ts'

/** Runs work within a span, and notes how it ends. */
export type Trace = <T>(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  work: () => Promise<T>,
  /** Returns why a result is a failure; undefined if it is none. @default only what rejects fails */
  failureOf?: (result: T) => unknown,
) => Promise<T>

/** Traces of one process. */
export type Traces = {
  readonly trace: Trace
  /** Sends what is left. Never rejects. */
  close(): Promise<void>
}

/** Traces nothing, and costs nothing. */
export const NO_TRACES: Traces = { trace: (_name, _attributes, work) => work(), close: async () => {} }

const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/resources',
  '@opentelemetry/exporter-trace-otlp-http',
]
/** Time in ms to send what is left when the process stops. */
const CLOSE_MS = 2000

/**
 * Opens the traces. The exporter reads the other variables of OpenTelemetry itself, such as `OTEL_EXPORTER_OTLP_HEADERS` and
 * `OTEL_SERVICE_NAME`. Without an endpoint nothing of OpenTelemetry is loaded.
 * @param endpoint the collector of traces, `OTEL_EXPORTER_OTLP_ENDPOINT`; null for none
 * @throws Error that names the packages to install
 */
export async function openTraces(endpoint: string | null): Promise<Traces> {
  if (endpoint === null) return NO_TRACES
  const { api, sdk, resources, exporter } = await load()
  const provider = new sdk.BasicTracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'touchstone' })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter({ url: tracesOf(endpoint) }))],
  })
  const tracer = provider.getTracer('touchstone')
  const fail = (span: Span, error: unknown) =>
    span.setStatus({ code: api.SpanStatusCode.ERROR, message: messageOf(error) })
  return {
    async trace(name, attributes, work, failureOf) {
      const span = tracer.startSpan(name, { attributes })
      try {
        const result = await work()
        const failure = failureOf?.(result)
        if (failure !== undefined) fail(span, failure)
        return result
      } catch (error) {
        fail(span, error)
        throw error
      } finally {
        span.end()
      }
    },
    async close() {
      await Promise.race([
        provider.shutdown(),
        new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref()),
      ])
        // A collector that is down loses the last spans.
        .catch(() => {})
    },
  }
}

/** Source: OpenTelemetry protocol exporter, endpoint URLs for OTLP/HTTP. */
const tracesOf = (endpoint: string) => `${endpoint.replace(/\/+$/, '')}/v1/traces`

async function load() {
  try {
    const [api, sdk, resources, exporter] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ])
    return { api, sdk, resources, exporter }
  } catch (cause) {
    throw new Error(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, and OpenTelemetry is not installed: npm install ${PACKAGES.join(' ')}`,
      { cause },
    )
  }
}
