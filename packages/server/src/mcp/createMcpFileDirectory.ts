import { open } from 'node:fs/promises'
import type { McpListing } from '../facts/mcpFacts.ts'
import type { McpDirectory } from './mcpDirectory.ts'

/** Creates a directory from a text file: one npm package per line, optionally with a version (`@scope/name@1.2.3`). `#` starts a comment. */
export function createMcpFileDirectory(options: { name: string; path: string }): McpDirectory {
  const { name, path } = options
  return {
    name,
    async *pages(signal) {
      const file = await open(path)
      const servers: McpListing[] = []
      let rejected = 0
      try {
        for await (const line of file.readLines()) {
          signal?.throwIfAborted()
          const text = line.replace(/(^|\s)#.*$/, '').trim()
          if (text === '') continue
          const server = mapLine(name, text)
          if (server === null) rejected++
          else servers.push(server)
        }
      } finally {
        await file.close()
      }
      yield { servers, rejected }
    },
  }
}

function mapLine(directory: string, text: string): McpListing | null {
  const [, name, version] = /^((?:@[^@/\s]+\/)?[^@/\s]+)(?:@([^@\s]+))?$/.exec(text) ?? []
  if (name === undefined) return null
  return {
    directory,
    name,
    title: null,
    version: version ?? null,
    status: 'active',
    repository: null,
    packages: [{ name, version: version ?? null }],
    hasOther: false,
  }
}
