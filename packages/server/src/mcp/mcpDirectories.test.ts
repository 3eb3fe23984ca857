import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanUpAfterEach, serve } from '../directories/testing/harness.ts'
import { NO_PAUSES } from '../directories/testing/pace.ts'
import type { McpListing } from '../facts/mcpFacts.ts'
import { createMcpFileDirectory } from './createMcpFileDirectory.ts'
import { createMcpRegistryDirectory } from './createMcpRegistryDirectory.ts'
import type { McpDirectory } from './mcpDirectory.ts'

cleanUpAfterEach()

async function readServers(directory: McpDirectory) {
  const all = { servers: [] as McpListing[], rejected: 0, pages: 0 }
  for await (const page of directory.pages()) {
    all.servers.push(...page.servers)
    all.rejected += page.rejected
    all.pages++
  }
  return all
}

const registry = (url: string) =>
  createMcpRegistryDirectory({ name: 'mcp', url, contact: 'x', pace: NO_PAUSES })

const today = {
  server: {
    $schema: 'https://schemas.example/2025-09-29/server.schema.json',
    name: 'io.github.acme/server',
    title: 'Server',
    description: 'Does things',
    version: '1.4.0',
    repository: { url: 'https://github.com/acme/server', source: 'github' },
    packages: [
      { registryType: 'npm', identifier: '@acme/server', version: '1.4.0', transport: { type: 'stdio' } },
      { registryType: 'oci', identifier: 'ghcr.io/acme/server' },
    ],
    remotes: [{ type: 'streamable-http', url: 'https://acme.example/mcp' }],
  },
  _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
}
const before = {
  name: 'io.github.old/server',
  description: 'Old',
  status: 'deprecated',
  version_detail: { version: '0.1.0' },
  packages: [{ registry_name: 'npm', name: 'old-server', version: '0.1.0' }],
}

test('default', async () => {
  const url = await serve((_request, asked) =>
    asked.pathname === '/v0/servers' ? { servers: [today, before], metadata: { count: 2 } } : {},
  )
  expect((await readServers(registry(url))).servers).toEqual([
    {
      directory: 'mcp',
      name: 'io.github.acme/server',
      title: 'Server',
      version: '1.4.0',
      status: 'active',
      repository: 'https://github.com/acme/server',
      packages: [{ name: '@acme/server', version: '1.4.0' }],
      hasOther: true,
    },
    {
      directory: 'mcp',
      name: 'io.github.old/server',
      title: 'Old',
      version: null,
      status: 'deprecated',
      repository: null,
      packages: [{ name: 'old-server', version: '0.1.0' }],
      hasOther: false,
    },
  ])
})

test('behavior: follows cursors to the end, and stops on a loop', async () => {
  const cursors: (string | null)[] = []
  const url = await serve((_request, asked) => {
    const cursor = asked.searchParams.get('cursor')
    cursors.push(cursor)
    return { servers: [today], metadata: { nextCursor: cursor === null ? 'a/b?' : 'stuck' } }
  })
  expect((await readServers(registry(url))).servers).toHaveLength(3)
  expect(cursors).toEqual([null, 'a/b?', 'stuck'])
})

test('behavior: skips old versions and counts malformed rows', async () => {
  const old = { ...today, _meta: { 'io.modelcontextprotocol.registry/official': { isLatest: false } } }
  const url = await serve(() => ({ servers: [old, 5, {}, { server: {} }, today] }))
  const { servers, rejected } = await readServers(registry(url))
  expect([servers.length, rejected]).toEqual([1, 3])
})

test('error: rejects a response without a list', async () => {
  const url = await serve(() => ({}))
  await expect(readServers(registry(url))).rejects.toThrow('returned no list of servers')
})

test('behavior: reads a text file of packages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-mcp-'))
  try {
    const path = join(folder, 'mcp.txt')
    await writeFile(path, '# mine\n@acme/server@1.2.3\nplain # comment\nnot a name\n')
    const { servers, rejected } = await readServers(createMcpFileDirectory({ name: 'mine', path }))
    expect(servers.map(({ name, packages }) => [name, packages])).toEqual([
      ['@acme/server', [{ name: '@acme/server', version: '1.2.3' }]],
      ['plain', [{ name: 'plain', version: null }]],
    ])
    expect(rejected).toBe(1)
  } finally {
    await rm(folder, { recursive: true })
  }
})
