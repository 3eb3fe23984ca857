import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OPERATIONS } from '@touchstone402/shared'
import { beforeAll, expect, test } from 'vitest'
import { DAY } from '../facts/times.ts'
import { createAnswers } from '../http/answers/createAnswers.ts'
import { createSnapshots } from '../http/answers/createSnapshots.ts'
import { createDecisionSigner } from '../keys/createDecisionSigner.ts'
import { auditMcpServer } from '../mcp/audit.ts'
import { readPackument } from '../mcp/packument.ts'
import { makePackument } from '../mcp/testing/registry.ts'
import { createSampleDeps } from './testing/createSampleDeps.ts'
import { samplesOf } from './testing/openPages.ts'
import { SAMPLE_NOW } from './testing/sampleServices.ts'

const ENDPOINT = 'https://api.skycast.dev/v1/forecast'
// Source: RFC 8037, appendix A.1.
const KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
}
const unused = () => {
  throw new Error('no example needs this')
}

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-examples-'))
  return () => rm(directory, { recursive: true })
})

async function openAnswers() {
  const file = join(directory, 'keys.json')
  await writeFile(file, JSON.stringify({ version: 1, current: KEY, former: [] }), { mode: 0o600 })
  const deps = await createSampleDeps([...samplesOf('api.skycast.dev'), ...samplesOf('llm.quickinfer.net')])
  const snapshots = await createSnapshots({ directory, isShared: false })
  const audit = auditMcpServer({
    listing: {
      directory: 'registry',
      name: 'weather-mcp',
      title: 'Weather',
      version: '1.4.0',
      status: 'active',
      repository: null,
      packages: [{ name: 'weather-mcp', version: '1.4.0' }],
      hasOther: false,
    },
    packages: [readPackument('weather-mcp', '1.4.0', makePackument('weather-mcp'))],
    repositoryStatus: 'present',
    before: undefined,
    now: SAMPLE_NOW,
  })
  const drift = {
    code: 'owners_changed' as const,
    package: 'weather-mcp',
    at: SAMPLE_NOW - DAY,
    before: 'adam',
    after: 'adam, zoe',
  }
  await deps.store.write('putAudit', { ...audit, drift: [drift] })
  const answers = createAnswers(deps, {
    readModel: deps.readModel,
    auditor: { probeLive: unused },
    signer: await createDecisionSigner({ directory, file }),
    snapshots,
    tokens: { pulse: unused, whales: unused, flow: unused, momentum: unused },
    readMs: 500,
  })
  return { answers, snapshots }
}

// `npx vitest run packages/server/src/site/answerExamples.test.ts -u` updates the file; then update docs/openapi.json.
test('default: the examples of the OpenAPI document are answers of the service over the samples', async () => {
  const { answers, snapshots } = await openAnswers()
  const context = { signal: new AbortController().signal, payer: '0x' }
  const readSnapshot = async (answer: object) => {
    if (!('id' in answer) || typeof answer.id !== 'string') throw new Error('not a snapshot')
    const parts: Uint8Array[] = []
    for await (const chunk of (await snapshots.open(answer.id))?.chunks ?? []) parts.push(Buffer.from(chunk))
    return JSON.parse(Buffer.concat(parts).toString())
  }
  const list = { days: 30, limit: 1 }
  const bodies = {
    verify: (await answers.verify({ endpoint: ENDPOINT })).body,
    trust: await readSnapshot(await answers.trust({}, context)),
    trustHistory: await answers.trustHistory({ endpoint: ENDPOINT }, context),
    trustDataset: await readSnapshot(await answers.trustDataset({ all: false, limit: 1 }, context)),
    dataFull: await readSnapshot(await answers.dataFull({ all: false, limit: 1 }, context)),
    status: (await answers.status({})).body,
    incidents: (await answers.incidents(list)).body,
    changes: (await answers.changes(list)).body,
    reports: (await answers.reports({})).body,
    data: (await answers.data({})).body,
    trustScore: (await answers.trustScore({})).body,
    dataSample: (await answers.dataSample({})).body,
    mcpDrift: (await answers.mcpDrift({ days: 7 })).body,
    mcpReport: (await answers.mcpReport({})).body,
  }
  for (const [id, body] of Object.entries(bodies)) {
    const [last] = OPERATIONS[id as keyof typeof bodies].response.slice(-1)
    expect(last?.parse(body), id).toEqual(body)
  }
  expect([bodies.incidents.count, bodies.changes.count]).toEqual([1, 1])
  const cut = { type: 'object' }
  const schemas = { mcpServer: cut, ecosystem: cut, incident: cut }
  const shown = { ...bodies, data: { ...bodies.data, schema: cut, schemas } }
  const text = `${JSON.stringify(shorten(shown), null, 2)}\n`
  await expect(text).toMatchFileSnapshot('../http/answerExamples.json')
})

/** Cuts long lists, which would make the document hard to read. A count beside a list follows. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 3).map(shorten)
  if (typeof value !== 'object' || value === null) return value
  const short = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]))
  return Array.isArray(short.series) ? { ...short, count: short.series.length } : short
}
