import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OPERATIONS } from '@touchstone402/shared'
import { beforeEach, expect, test } from 'vitest'
import { CONTRACT_PRICES } from '../../config/priceSettings.ts'
import { aConfig } from '../../config/testing.ts'
import type { McpAudit } from '../../facts/mcpFacts.ts'
import { HOUR } from '../../facts/times.ts'
import { systemClock } from '../../lib/clock.ts'
import { anAudit } from '../../mcp/testing/anAudit.ts'
import { createReadModel } from '../../readModel/createReadModel.ts'
import { putHosts } from '../../readModel/testing/putHosts.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { aChange, anIncident, aReceiver, documentOf, NOON } from '../../store/testing/records.ts'
import { createDatasetAnswers } from './createDatasetAnswers.ts'
import { createSnapshots } from './createSnapshots.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-dataset-'))
  return () => rm(directory, { recursive: true })
})

const context = { signal: new AbortController().signal, payer: '0x' }

async function setUp(hosts: number, audits: readonly McpAudit[] = []) {
  const store = createMemoryStore()
  const readModel = await createReadModel(store)
  for (let host = 0; host < hosts; host++) await putHosts(store, documentOf(`h${host}.example`, NOON))
  for (const audit of audits) await store.write('putAudit', audit)
  const snapshots = await createSnapshots({ directory, isShared: false })
  const config = aConfig({ prices: { ...CONTRACT_PRICES, trustDataset: '0.25' } })
  const clock = { ...systemClock, now: () => NOON }
  const answers = createDatasetAnswers({ store, clock, config }, { readModel, snapshots })
  const buy = async (
    query: { all: boolean; limit: number },
    id: 'trustDataset' | 'dataFull' = 'trustDataset',
  ) => {
    const answer = await answers[id](query, context)
    if (!('kind' in answer)) throw new Error('the dataset is a snapshot')
    const reading = await snapshots.open(answer.id)
    const parts: Uint8Array[] = []
    for await (const chunk of reading?.chunks ?? []) parts.push(Buffer.from(chunk))
    return JSON.parse(Buffer.concat(parts).toString())
  }
  return { store, readModel, answers, buy }
}

test('default: the snapshot matches the contract', async () => {
  const { buy } = await setUp(5)
  const [schema] = OPERATIONS.trustDataset.response
  const body = schema.parse(await buy({ all: false, limit: 3 }))
  expect(body).toMatchObject({ all: false, limit: 3, count: 3, total: 5, truncated: true })
  expect(body.services.map(({ host }) => host)).toEqual(['h0.example', 'h1.example', 'h2.example'])
  expect(schema.parse(await buy({ all: true, limit: 9 }))).toMatchObject({
    all: true,
    count: 5,
    truncated: false,
  })
})

test('behavior: the dataset of an empty index is empty', async () => {
  const { buy } = await setUp(0)
  expect(await buy({ all: false, limit: 2000 })).toMatchObject({ count: 0, total: 0, services: [] })
})

test('default: the full data has services, MCP servers, the ecosystem and open incidents', async () => {
  const { buy, store } = await setUp(3, [anAudit('fresh', NOON - HOUR), anAudit('stale', NOON - 49 * HOUR)])
  const resolved = anIncident({ id: 'inc_old', status: 'resolved' })
  await store.write('append', [
    { kind: 'incident', id: 'f1', at: NOON, incident: anIncident() },
    { kind: 'incident', id: 'f2', at: NOON, incident: resolved },
  ])
  const body = OPERATIONS.dataFull.response[0].parse(await buy({ all: false, limit: 2 }, 'dataFull'))
  expect(body).toMatchObject({
    count: 2,
    total: 3,
    truncated: true,
    ecosystem: { tracked: 3, live: 3, dead: 0 },
    mcpServerCount: 2,
  })
  expect(body.services).toHaveLength(2)
  expect(body.incidents.map(({ id }) => id)).toEqual([anIncident().id])
  expect(body.mcpServers.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['fresh', 'safe'],
    ['stale', 'unknown'],
  ])
  expect(body.mcpServers[0]?.packages[0]).toMatchObject({ outcome: 'found', maintainers: ['adam', 'zoe'] })
})

test('default: the preview has schema, coverage, samples and price', async () => {
  const audits = [0, 1, 2, 3].map((index) => anAudit(`m${index}`, NOON - HOUR))
  const { answers, store } = await setUp(5, audits)
  await store.write('append', [
    aReceiver(),
    { kind: 'change', id: 'f1', at: NOON, change: aChange() },
    { kind: 'incident', id: 'f2', at: NOON, incident: anIncident() },
  ])
  const { body } = await answers.data({})
  expect(OPERATIONS.data.response[0].parse(body)).toEqual(body)
  expect(body.datasets.find(({ id }) => id === 'trustDataset')).toMatchObject({
    path: '/trust/dataset',
    url: 'https://trust.example/trust/dataset',
    priceUsd: 0.25,
  })
  expect(body.coverage).toEqual({
    services: 5,
    liveServices: 5,
    endpoints: 5,
    liveEndpoints: 5,
    receivers: 1,
    directories: ['bazaar'],
    incidents: 1,
    incidentsOpen: 1,
    changes: 1,
    mcpServers: 4,
    firstSeen: '2026-06-01',
  })
  expect(body.mcpServers.map(({ name }) => name)).toEqual(['m0', 'm1', 'm2'])
  expect(body).toMatchObject({ ecosystem: { tracked: 5, live: 5 }, incidents: [{ status: 'open' }] })
  for (const schema of Object.values(body.schemas)) expect(schema).toMatchObject({ type: 'object' })
  expect(body.samples).toHaveLength(3)
  expect(body.schema).toMatchObject({
    type: 'object',
    required: expect.arrayContaining(Object.keys(body.samples[0] ?? {})),
  })
  expect(JSON.stringify(body.schema)).not.toContain('"$ref"')
  const sample = await answers.dataSample({})
  expect(OPERATIONS.dataSample.response[0].parse(sample.body)).toEqual(sample.body)
  expect(sample.body).toMatchObject({
    service: { host: body.samples[0]?.host },
    mcpServer: { name: 'm0' },
    incident: { id: anIncident().id },
    ecosystem: { tracked: 5, live: 5 },
  })
  expect(await answers.preview(5)).toMatchObject({
    priceUsd: 0.25,
    endpoint: 'https://trust.example/trust/dataset',
    liveServices: 5,
    preview: body.samples,
  })
})

test('behavior: the sample is null where there is nothing', async () => {
  const { answers } = await setUp(0)
  const { body } = await answers.dataSample({})
  expect(body).toMatchObject({ service: null, mcpServer: null, incident: null, ecosystem: { tracked: 0 } })
})
