import { type Service, startService } from '@touchstone402/demo'
import { allSellers, type Economy } from '@touchstone402/economy'
import { OPERATIONS } from '@touchstone402/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEconomy } from './support/economy.ts'
import { type LocalServer, serve } from './support/serve.ts'
import { createShiftClock } from './support/shiftClock.ts'
import { signFor } from './support/sign.ts'

const HOUR = 3_600_000
const FULL_PRICE = 1_000_000n
const clock = createShiftClock()
const lines: string[] = []
/** npm scripts of each package's release, by name. */
const packages = new Map<string, Record<string, string>>([
  ['@acme/files', { build: 'tsc' }],
  ['acme-mail', { postinstall: 'node collect.js' }],
])

let economy: Economy
let registry: LocalServer
let service: Service

/** Creates a row in the format of the MCP registry. */
function listServer(name: string, identifier: string) {
  return {
    server: {
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json',
      name,
      description: 'Does things',
      version: '1.4.0',
      repository: { url: sourceUrl(), source: 'github' },
      packages: [{ registryType: 'npm', identifier, version: '1.4.0', transport: { type: 'stdio' } }],
    },
    _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
  }
}
const sourceUrl = () => `http://source.localhost:${registry.port}/acme/server`

/** Creates a package document in the format of the npm registry. */
function describePackage(name: string, scripts: Record<string, string>) {
  const version = '1.4.0'
  const dist = {
    integrity: 'sha512-one',
    signatures: [{ keyid: 'SHA256:one', sig: 'MEUC' }],
    attestations: {
      url: 'https://registry.example/a',
      provenance: { predicateType: 'https://slsa.dev/provenance/v1' },
    },
  }
  const repository = { type: 'git', url: `git+${sourceUrl()}.git` }
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, license: 'MIT', repository, scripts, dist } },
    time: { created: '2024-05-01T00:00:00.000Z', [version]: '2026-04-01T00:00:00.000Z' },
    maintainers: [{ name: 'zoe', email: 'zoe@acme.example' }],
  }
}

beforeAll(async () => {
  registry = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://local')
    const send = (value: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
    if (pathname === '/acme/server') return response.end()
    if (pathname === '/v0/servers') {
      const first = [listServer('io.github.acme/files', '@acme/files'), { server: { title: 'nameless' } }]
      const second = [
        listServer('io.github.acme/mail', 'acme-mail'),
        listServer('io.github.acme/gone', 'acme-gone'),
      ]
      return searchParams.get('cursor') === 'two'
        ? send({ servers: second, metadata: { count: 2 } })
        : send({ servers: first, metadata: { nextCursor: 'two', count: 2 } })
    }
    const name = decodeURIComponent(pathname.slice(1))
    const scripts = packages.get(name)
    if (scripts === undefined) return response.writeHead(404).end('{"error":"Not found"}')
    return send(describePackage(name, scripts))
  })
  economy = await startEconomy({ sellers: allSellers.filter(({ id }) => id === 'honest-v1'), clock: 'real' })
  service = await startService(economy, {
    clock,
    log: (_level, message) => lines.push(message),
    settings: {
      PORT: '0',
      PUBLIC_URL: 'https://trust.example',
      MCP_DIRECTORIES: `registry=${registry.url}`,
      NPM_REGISTRY: registry.url,
      DEVELOPMENT_ALLOW_HOSTS: [...economy.allowedHosts, `127.0.0.1:${registry.port}`].join(','),
    },
  })
})
afterAll(async () => {
  await service?.stop()
  await economy?.stop()
  await registry?.stop()
})

/** Buys the full dataset with a real payment. */
async function buy(limit: number) {
  const [bot] = economy.wallets.bots
  if (bot === undefined) throw new Error('the economy has no bot')
  const url = `${service.url}/data/full?limit=${limit}`
  const { headers } = await signFor(url, bot, 2)
  const answer = await fetch(url, { headers })
  expect(answer.status).toBe(200)
  return OPERATIONS.dataFull.response[0].parse(await answer.json())
}
const rounds = () => lines.filter((line) => line.startsWith('MCP servers: '))

test('default: the full dataset costs a dollar and includes audited MCP servers', async () => {
  await expect.poll(rounds, { timeout: 30_000 }).toEqual(['MCP servers: 3 listed, 1 rejected, 3 audited'])
  await expect.poll(() => service.crawl().probes, { timeout: 20_000 }).toBeGreaterThan(0)
  const { address } = economy.wallets.service
  const before = await economy.chain.usdcBalanceOf(address)
  const body = await buy(10)
  expect((await economy.chain.usdcBalanceOf(address)) - before).toBe(FULL_PRICE)
  expect(body).toMatchObject({ count: 1, total: 1, mcpServerCount: 3, ecosystem: { tracked: 1, live: 1 } })
  expect(body.services.map(({ host }) => host)).toEqual([economy.sellers['honest-v1']?.host])
  expect(
    body.mcpServers.map(({ name, verdict, repositoryStatus }) => [name, verdict, repositoryStatus]),
  ).toEqual([
    ['io.github.acme/files', 'safe', 'present'],
    ['io.github.acme/gone', 'avoid', 'present'],
    ['io.github.acme/mail', 'caution', 'present'],
  ])
  expect(body.mcpServers[2]?.reasons[0]).toMatchObject({ code: 'install_script', package: 'acme-mail' })
})

test('behavior: reports changes a day later', async () => {
  packages.set('@acme/files', { install: 'node collect.js' })
  packages.delete('acme-mail')
  await clock.advance(24 * HOUR)
  await expect.poll(rounds, { timeout: 30_000 }).toHaveLength(2)
  // Another limit, since buyers of the same query share a snapshot for a minute.
  const { mcpServers } = await buy(11)
  expect(mcpServers.map(({ verdict, drift }) => [verdict, drift.map(({ code }) => code)])).toEqual([
    ['avoid', ['script_added']],
    ['avoid', []],
    ['avoid', ['unpublished']],
  ])
})
