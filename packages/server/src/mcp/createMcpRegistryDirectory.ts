import { asObject } from '@touchstone402/shared'
import type { McpListing } from '../facts/mcpFacts.ts'
import { type Row, readList, readObject, readText } from '../lib/fields.ts'
import { createReadJson, DirectoryError, type RemoteDirectoryOptions } from '../lib/readJson.ts'
import type { McpDirectory, McpPage } from './mcpDirectory.ts'

const PATH = '/v0/servers'
const PAGE_SIZE = 100
const MAX_PAGES = 5_000
const MAX_PACKAGES = 5
const OFFICIAL = 'io.modelcontextprotocol.registry/official'

/**
 * Creates a directory from a registry with the official MCP registry API: `GET /v0/servers`, paged by cursor, latest
 * versions only. Reads current documents (`{ server, _meta }`, camel case) and those of 2025-07-09 (flat, snake case).
 */
export function createMcpRegistryDirectory(options: RemoteDirectoryOptions): McpDirectory {
  const { name, pace } = options
  const readJson = createReadJson(options)
  const base = options.url.replace(/\/+$/, '')
  const url = /\/v0(\.\d+)?\/servers$/.test(base) ? base : base + PATH
  return {
    name,
    async *pages(signal) {
      let cursor: string | null = null
      for (let page = 0; page < MAX_PAGES; page++) {
        if (page > 0) await new Promise((resolve) => setTimeout(resolve, pace.pauseMs))
        const query = new URLSearchParams({ limit: String(PAGE_SIZE), version: 'latest' })
        if (cursor !== null) query.set('cursor', cursor)
        const answer = asObject(await readJson(`${url}?${query}`, signal))
        const items = readList(answer, 'servers')
        if (items === undefined) throw new DirectoryError(`${url} returned no list of servers`)
        yield mapServers(name, items)
        const next = readCursor(readObject(answer, 'metadata'))
        // A repeated cursor would loop forever.
        if (next === null || next === cursor || items.length === 0) return
        cursor = next
      }
    },
  }
}

function readCursor(metadata: Row | undefined): string | null {
  const cursor = metadata?.nextCursor ?? metadata?.next_cursor
  return typeof cursor === 'string' && cursor !== '' && cursor.length <= 1_000 ? cursor : null
}

function mapServers(directory: string, items: readonly unknown[]): McpPage {
  const servers: McpListing[] = []
  let rejected = 0
  for (const item of items) {
    const server = mapServer(directory, asObject(item))
    if (server === undefined) rejected++
    else if (server !== null) servers.push(server)
  }
  return { servers, rejected }
}

/** Returns undefined for a malformed entry, null for an old version. */
function mapServer(directory: string, item: Row | undefined): McpListing | null | undefined {
  const server = readObject(item, 'server') ?? item
  const name = readText(server, 'name')
  if (server === undefined || name === null) return undefined
  const official = readObject(readObject(item, '_meta') ?? readObject(server, '_meta'), OFFICIAL)
  // Registries that ignore `version=latest` return every version.
  if (official?.isLatest === false || official?.is_latest === false) return null
  const packages = (readList(server, 'packages') ?? []).map(asObject)
  const npm = packages.filter(
    (one) => readText(one, 'registryType', 'registry_type', 'registry_name') === 'npm',
  )
  const remotes = readList(server, 'remotes') ?? []
  return {
    directory,
    name,
    title: readText(server, 'title', 'description'),
    version: readText(server, 'version'),
    status: readStatus(readText(official, 'status') ?? readText(server, 'status')),
    repository: readText(readObject(server, 'repository'), 'url'),
    packages: npm.slice(0, MAX_PACKAGES).flatMap((one) => {
      const identifier = readText(one, 'identifier', 'name')
      return identifier === null ? [] : [{ name: identifier, version: readText(one, 'version') }]
    }),
    hasOther: npm.length < packages.length || remotes.length > 0,
  }
}

function readStatus(status: string | null): McpListing['status'] {
  return status === 'deprecated' || status === 'deleted' ? status : 'active'
}
