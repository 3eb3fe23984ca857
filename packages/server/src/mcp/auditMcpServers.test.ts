import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { McpListing } from '../facts/mcpFacts.ts'
import { DAY } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import type { Prober } from '../lib/prober.ts'
import { createProber } from '../probe/createProber.ts'
import { readAudit } from '../store/documents.ts'
import type { Store } from '../store/store.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { auditMcpServers } from './auditMcpServers.ts'
import type { McpDirectory } from './mcpDirectory.ts'
import { readPackumentText } from './packument.ts'
import { type LocalRegistry, makePackument, startRegistry } from './testing/registry.ts'

let folder = ''
let registry: LocalRegistry
let source: Server
let sourceStatus = 200
let prober: Prober
let audits: Store
let now = Date.UTC(2026, 5, 1)

beforeEach(async () => {
  now = Date.UTC(2026, 5, 1)
  sourceStatus = 200
  logged.length = 0
  folder = await mkdtemp(join(tmpdir(), 'touchstone-audits-'))
  registry = await startRegistry()
  source = createServer((_request, response) => void response.writeHead(sourceStatus).end())
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
  const lookup: LookupFunction = (_name, _options, answer) =>
    answer(null, [{ address: '127.0.0.1', family: 4 }])
  prober = createProber({ contact: 'x', lookup, allowPrivate: [`127.0.0.1:${sourcePort()}`], ca: [] })
  audits = createMemoryStore()
})
afterEach(async () => {
  await prober.close()
  await registry.close()
  source.closeAllConnections()
  await new Promise((resolve) => source.close(resolve))
  await rm(folder, { recursive: true })
})

const sourcePort = () => (source.address() as AddressInfo).port
const list = (...names: string[]): McpDirectory => ({
  name: 'registry',
  async *pages() {
    yield { servers: names.map(toListing), rejected: 1 }
  },
})
const toListing = (name: string): McpListing => ({
  directory: 'registry',
  name: `io.github.acme/${name}`,
  title: null,
  version: '1.4.0',
  status: 'active',
  repository: `http://source.test:${sourcePort()}/acme/server`,
  packages: [{ name, version: '1.4.0' }],
  hasOther: false,
})
const publish = (name: string, more: object = {}) => {
  const repository = `http://source.test:${sourcePort()}/acme/server`
  registry.documents.set(name, makePackument(name, { repository, ...more }))
}
const logged: string[] = []
const run = (...directories: McpDirectory[]) =>
  auditMcpServers(
    {
      store: audits,
      clock: { ...systemClock, now: () => now },
      log: (_level, line) => void logged.push(line),
    },
    {
      directories,
      registry: {
        url: registry.url,
        contact: 'x',
        timeoutMs: 20_000,
        retries: 0,
        parse: readPackumentText,
      },
      prober,
    },
    new AbortController().signal,
  )
const find = (name: string) => readAudit(audits, `io.github.acme/${name}`)

test('default', async () => {
  publish('good')
  publish('scripted', { scripts: { postinstall: 'node x.js' } })
  expect(await run(list('good', 'scripted', 'missing'))).toEqual({ listed: 3, rejected: 1, audited: 3 })
  expect(await find('good')).toMatchObject({ verdict: 'safe', repositoryStatus: 'present' })
  expect(await find('scripted')).toMatchObject({ verdict: 'caution' })
  expect(await find('missing')).toMatchObject({ verdict: 'avoid' })
})

test('behavior: repeats the audit after a day and detects changes', async () => {
  publish('good')
  await run(list('good'))
  expect(await run(list('good'))).toMatchObject({ audited: 0 })
  now += DAY
  publish('good', { scripts: { install: 'node x.js' } })
  sourceStatus = 404
  expect(await run(list('good'))).toMatchObject({ audited: 1 })
  const { drift, verdict } = (await find('good')) ?? {}
  expect([verdict, drift?.map(({ code }) => code).sort()]).toEqual([
    'avoid',
    ['repository_gone', 'script_added'],
  ])
})

test('behavior: audits a server in two directories once, and continues after a failing directory', async () => {
  publish('good')
  const failing: McpDirectory = {
    name: 'failing',
    // biome-ignore lint/correctness/useYield: it fails before its first page
    async *pages() {
      throw new Error('down')
    },
  }
  expect(await run(failing, list('good'), list('good'))).toMatchObject({ listed: 1, audited: 1 })
  expect(logged).toEqual(['MCP directory failing failed: down'])
})

test('behavior: does not dial a source on a private address', async () => {
  publish('good')
  const directory: McpDirectory = {
    name: 'registry',
    async *pages() {
      yield { servers: [{ ...toListing('good'), repository: 'http://127.0.0.1:1/x' }], rejected: 0 }
    },
  }
  await run(directory)
  expect(await find('good')).toMatchObject({ repositoryStatus: 'unknown' })
})
