import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createRpcCounts } from '@touchstone402/transfers'
import { COSIGNATURE_TYPE, formatVerifierKey, publicKeyOf } from '@touchstone402/transparency'
import { beforeAll, describe, expect, test } from 'vitest'
import { listen } from './lib/listen.ts'
import { createMetrics, type Metrics } from './lib/metrics.ts'
import { createConfirmation } from './payments/createConfirmation.ts'
import { createHedgedChain } from './payments/createHedgedChain.ts'
import { createFacilitator, FACILITATOR_LIMITS } from './payments/facilitator.ts'
import { createPaymentContext } from './payments/testing/createPaymentContext.ts'
import { checkChain } from './services/health/checkChain.ts'
import { checkClock } from './services/health/checkClock.ts'
import { watchConfirmation } from './services/health/checkConfirmation.ts'
import { checkCrawl, checkDirectories } from './services/health/checkCrawl.ts'
import { watchFacilitator } from './services/health/checkFacilitator.ts'
import { checkLog } from './services/health/checkLog.ts'
import { checkMap } from './services/health/checkMap.ts'
import { checkStore } from './services/health/checkStore.ts'
import { createHealth } from './services/health/createHealth.ts'
import { addGauges } from './services/metrics.ts'
import type { Store } from './store/store.ts'
import { createMemoryStore } from './store/testing/createMemoryStore.ts'

type Rule = { alert: string; expr: string; labels: Map<string, string>; annotations: Map<string, string> }

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url))
const read = (name: string) => readFileSync(DOCS + name, 'utf8')

/** Parses the alerts. Only the shape of the file is understood; anything else fails. */
function parseAlerts(yaml: string): Rule[] {
  const rules: Rule[] = []
  let fields = new Map<string, string>()
  const scalar = (text: string): string => {
    if (text.startsWith('"')) return JSON.parse(text)
    // A plain scalar of YAML ends at these, and begins with a letter here.
    if (!/^[a-z]/i.test(text) || /: | #/.test(text)) throw new Error(`must be quoted: ${text}`)
    return text
  }
  const rule = () => {
    const last = rules.at(-1)
    if (last === undefined) throw new Error('no rule yet')
    return last
  }
  const forms: [RegExp, (key: string, value: string) => void][] = [
    [/^(groups):$|^#.*$|^ {2}- (name): [a-z-]+$|^ {4}(rules):$/, () => {}],
    [
      /^ {6}- alert: ()(\w+)$/,
      (_, alert) => rules.push({ alert, expr: '', labels: new Map(), annotations: new Map() }),
    ],
    [
      /^ {8}expr: ()(.+)$/,
      (_, text) => {
        rule().expr = scalar(text)
      },
    ],
    [/^ {8}for: \d+[mh]$/, () => {}],
    [
      /^ {8}(labels|annotations):$/,
      (key) => {
        fields = key === 'labels' ? rule().labels : rule().annotations
      },
    ],
    [/^ {10}(\w+): (.+)$/, (key, text) => fields.set(key, scalar(text))],
  ]
  for (const line of yaml.trimEnd().split('\n')) {
    const form = forms.find(([pattern]) => pattern.test(line))
    if (form === undefined) throw new Error(`not understood: ${line}`)
    const [, key = '', value = ''] = form[0].exec(line) ?? []
    form[1](key, value)
  }
  return rules
}

/** Returns every value of a property within JSON. */
function collect(value: unknown, property: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === property && typeof inner === 'string' ? [inner] : collect(inner, property),
  )
}

/** Labels that Prometheus adds. */
const ADDED = ['job', 'instance']

/** Returns the metrics that an expression reads, with the labels that it selects. */
function metricsOf(expression: string): { name: string; labels: string[] }[] {
  const found = expression.matchAll(/\b((?:touchstone|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)
  return [...found].map(([, name = '', selectors = '']) => ({
    name,
    labels: [...selectors.matchAll(/(\w+)=/g)]
      .map(([, label = '']) => label)
      .filter((label) => !ADDED.includes(label)),
  }))
}

/** Returns the samples that an expression selects by the exact value of a label, such as `a{check="store"}`. */
const samplesOf = (expression: string): string[] =>
  [...expression.matchAll(/\btouchstone_\w+\{check="\w+"\}/g)].map(([sample]) => sample)

/** Registers the gauges of all checks, after one run of each. */
async function addHealth(metrics: Metrics, parts: Parameters<typeof checkCrawl>[0] & { store: Store }) {
  const { store, now } = parts
  const call = async (method: string) =>
    method === 'eth_chainId' ? '0x2105' : { number: '0x1', timestamp: '0x1' }
  const rpc = { host: 'rpc.example', call }
  const chain = checkChain({
    chain: {
      chainId: 8453,
      hosts: [rpc.host],
      requestOf: ({ method }) => call(method),
      counts: async () => ({ rpcs: [{ requests: 1, failures: 0 }], byPurpose: createRpcCounts().totals() }),
    },
    now,
  })
  const facilitator = createFacilitator({ url: 'http://127.0.0.1:1', headers: {}, ...FACILITATOR_LIMITS })
  const hedged = createHedgedChain({ rpcs: [rpc], chainId: 8453, patienceMs: 1000 })
  const limits = { waitMs: 1, reachMs: 1, searchMs: 1 }
  const { ctx } = createPaymentContext(store, {}, now)
  const key = formatVerifierKey('w.example', await publicKeyOf(new Uint8Array(32)), COSIGNATURE_TYPE)
  const checks = [
    checkStore({ store, now, dataDir: tmpdir(), isInFolder: false }),
    ...[
      chain,
      watchFacilitator(facilitator, 'eip155:8453').check,
      watchConfirmation(createConfirmation(ctx, { chain: hedged, isTrusted: () => true, ...limits })).check,
      checkCrawl(parts),
      checkDirectories({ ...parts, configured: 1, isAlone: true }),
    ],
    checkLog({ store, settings: { witnesses: [{ url: '', key }], everyMs: 1000 }, now }),
    checkMap(store, now),
    checkClock({ store, probeFirst: async () => {}, now, heads: chain.heads }),
  ]
  const health = createHealth({ checks, log: () => {}, isStopping: () => false })
  for (const { name } of checks) await health.run(name)
  health.addGauges(metrics)
}

/** Lines of a real answer of `/metrics` in which every metric has a sample. */
let lines: string[] = []

beforeAll(async () => {
  const metrics = createMetrics()
  const crawl = {
    discoveries: 1,
    listed: 2,
    rows: { bazaar: 2 },
    probes: 1,
    failures: 0,
    due: 0,
    lastProbeAt: 1,
    skipped: { malformed: 1 },
    directories: { read: 1, failed: 0, reading: 0 },
    round: null,
    lastFinishedAt: 1,
    failingSince: null,
    slowestProbeMs: 1,
  }
  const cache = { stats: () => ({ hits: 1, misses: 1, bytes: 1 }) }
  const store = createMemoryStore()
  const now = () => 2
  addGauges(metrics, { store, cache, crawl: () => crawl, leads: () => true, now })
  await addHealth(metrics, { store, progress: () => crawl, now })
  metrics.request({
    route: '/verify',
    method: 'GET',
    status: 200,
    durationMs: 1,
    fromMemory: false,
    isAborted: false,
  })
  metrics.sale({ operation: 'trust', outcome: 'sold' })
  metrics.paymentFault({ step: 'settle' })
  metrics.probe({ purpose: 'scheduled', outcome: 'up' })
  const server = createServer(metrics.listener)
  const url = await listen(server, { host: '127.0.0.1', port: 0 }, 'HOST, PORT')
  lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
  server.close()
  server.closeAllConnections()
})

const hasSample = ({ name, labels }: { name: string; labels: string[] }) =>
  lines.some(
    (line) =>
      (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
      labels.every((label) => line.includes(`${label}="`)),
  )

const alerts = () => parseAlerts(read('prometheus-alerts.yml'))
const dashboard = (): unknown => JSON.parse(read('grafana-dashboard.json'))

describe.each([
  ['prometheus-alerts.yml', () => alerts().map(({ expr }) => expr)],
  ['grafana-dashboard.json', () => collect(dashboard(), 'expr')],
] as const)('%s', (_, expressions) => {
  test('default: every metric and label of an expression is served', () => {
    const used = expressions().flatMap(metricsOf)
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter((metric) => !hasSample(metric))).toEqual([])
  })

  test('default: every label of a grouping is served', () => {
    for (const expression of expressions()) {
      const grouped = [...expression.matchAll(/\bby \(([\w, ]+)\)/g)].flatMap(([, list = '']) =>
        list.split(', '),
      )
      const served = (label: string) =>
        metricsOf(expression).some(({ name }) => hasSample({ name, labels: [label] }))
      const unknown = grouped.filter((label) => !ADDED.includes(label) && !served(label))
      expect([expression, unknown]).toEqual([expression, []])
    }
  })

  test('default: brackets and quotes of every expression match', () => {
    for (const expression of expressions()) {
      const bare = expression.replace(/"[^"]*"/g, '')
      for (const pair of ['()', '{}', '[]']) {
        const [opening = '', closing = ''] = pair
        expect([expression, bare.split(opening).length]).toEqual([expression, bare.split(closing).length])
      }
      expect([expression, bare.includes('"')]).toEqual([expression, false])
    }
  })
})

test('default: every check has an alert that its own metric bears out', () => {
  const served = lines.flatMap((line) => /^touchstone_check_failing\{[^}]*\}/.exec(line) ?? [])
  const used = alerts().flatMap(({ expr }) => samplesOf(expr))
  expect(served).toHaveLength(9)
  expect([...new Set(used)].filter((sample) => !served.includes(sample))).toEqual([])
  // The map has an alert by its age, which is the same in every process.
  expect(served.filter((sample) => !used.includes(sample))).toEqual(['touchstone_check_failing{check="map"}'])
})

test('default: each alert has a severity and a summary, and no two have the same name', () => {
  const names = alerts().map(({ alert }) => alert)
  expect(new Set(names).size).toBe(names.length)
  for (const { labels, annotations } of alerts()) {
    expect(['critical', 'warning']).toContain(labels.get('severity'))
    expect(annotations.get('summary')).toMatch(/\w/)
  }
})

test('default: panels of the dashboard have a title and a number of their own, and do not overlap', () => {
  const { panels } = dashboard() as {
    panels: { id: number; title: string; gridPos: { x: number; y: number; w: number; h: number } }[]
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
})

test('error: refuses alerts of another form, and finds metrics that are not served', () => {
  expect(() => parseAlerts('groups:\n  rules: []')).toThrow('not understood')
  expect(() => parseAlerts('      - alert: A\n        expr: a: b')).toThrow('must be quoted')
  expect(metricsOf('rate(touchstone_a_total{job="x", b=~"c"}[5m])')).toEqual([
    { name: 'touchstone_a_total', labels: ['b'] },
  ])
  expect(hasSample({ name: 'touchstone_none', labels: [] })).toBe(false)
  expect(hasSample({ name: 'touchstone_claims_open', labels: ['status'] })).toBe(false)
})
