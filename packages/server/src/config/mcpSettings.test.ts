import { expect, test } from 'vitest'
import { z } from 'zod'
import { mcpSettings, readMcp, readNpm } from './mcpSettings.ts'

const read = (settings: Record<string, string>) => {
  const parsed = z.object(mcpSettings).safeParse(settings)
  return parsed.success ? readMcp(parsed.data) : parsed.error.issues.map(({ message }) => message).join('\n')
}

test('default: audits nothing without directories', () => {
  expect(read({})).toBeNull()
  expect(read({ MCP_DIRECTORIES: ' , ', NPM_REGISTRY: 'https://registry.example' })).toBeNull()
})

test('behavior: parses directories with a kind, an optional name and a location', () => {
  expect(
    read({
      MCP_DIRECTORIES: 'registry=https://registry.example, file:ours=/etc/servers.txt',
    }),
  ).toEqual({
    directories: [
      { kind: 'registry', name: 'mcp-registry', location: 'https://registry.example' },
      { kind: 'file', name: 'ours', location: '/etc/servers.txt' },
    ],
  })
})

test('behavior: the npm registry is known without directories', () => {
  const npm = (settings: Record<string, string>) => readNpm(z.object(mcpSettings).parse(settings))
  expect(npm({})).toEqual({ registry: null, downloadsUrl: null })
  expect(npm({ NPM_REGISTRY: 'https://npm.example' })).toEqual({
    registry: 'https://npm.example',
    downloadsUrl: null,
  })
})

test.each([
  [{ MCP_DIRECTORIES: 'registry=file:///etc/passwd' }, 'must be registry=URL or file=PATH'],
  [{ MCP_DIRECTORIES: 'bazaar=https://x.example' }, 'must be registry=URL or file=PATH'],
  [{ NPM_REGISTRY: 'ftp://x.example' }, 'must be an http or https URL'],
])('error: refuses %j', (settings, message) => {
  expect(read(settings)).toContain(message)
})
