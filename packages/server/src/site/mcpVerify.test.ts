import { McpVerificationSchema } from '@touchstone402/shared'
import { beforeEach, expect, test } from 'vitest'
import type { McpAudit } from '../facts/mcpFacts.ts'
import { DAY } from '../facts/times.ts'
import { NOW } from '../http/testing/smallApp.ts'
import { startHttpApp } from '../http/testing/startHttpApp.ts'
import { systemClock } from '../lib/clock.ts'
import { createMcpVerifier } from '../mcp/createMcpVerifier.ts'
import { readPackumentText } from '../mcp/packument.ts'
import { type PackageRegistry, readPackage } from '../mcp/readPackage.ts'
import { type LocalRegistry, makePackument, startRegistry } from '../mcp/testing/registry.ts'
import { createProber } from '../probe/createProber.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { withReads } from '../store/testing/withFaults.ts'
import { createMcpVerifyPage } from './mcpVerify.ts'

let registry: LocalRegistry
let origin = ''
let now = NOW
let daily: McpAudit | undefined

beforeEach(async () => {
  now = NOW
  daily = undefined
  registry = await startRegistry()
  const clock = { ...systemClock, now: () => now }
  const lookup = () => {
    throw new Error('no repository is asked over the network')
  }
  const prober = createProber({ contact: 'x', lookup, allowPrivate: [], ca: [] })
  const store = withReads(createMemoryStore(), 'mcp_audit', () =>
    daily === undefined ? [] : [{ audit_json: JSON.stringify(daily) }],
  )
  const ctx = { store, clock }
  const verifyMcp = createMcpVerifier(ctx, { registry: async () => npm(), prober })
  origin = await startHttpApp({ clock, pages: [createMcpVerifyPage({ ...ctx, verifyMcp })] })
  return async () => {
    await prober.close()
    await registry.close()
  }
})

const npm = (): PackageRegistry => ({
  url: registry.url,
  contact: 'x',
  retries: 0,
  timeoutMs: 500,
  parse: readPackumentText,
})

const ask = async (name: string) => {
  const response = await fetch(`${origin}/mcp/verify?package=${encodeURIComponent(name)}`)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

test('default: audits a package when asked, and serves the audit for a day', async () => {
  registry.documents.set('@acme/server', makePackument('@acme/server'))
  const { status, headers, body } = await ask('@acme/server')
  expect([status, McpVerificationSchema.parse(body)]).toEqual([200, body])
  expect(body).toMatchObject({
    package: '@acme/server',
    name: '@acme/server',
    directory: 'npm',
    version: '1.4.0',
    verdict: 'safe',
    auditedAt: new Date(NOW).toISOString(),
    expiresAt: new Date(NOW + DAY).toISOString(),
  })
  expect(headers.get('cache-control')).toContain('max-age=300')
  now += DAY - 1
  registry.documents.set('@acme/server', makePackument('@acme/server', { scripts: { install: 'x' } }))
  expect((await ask('@acme/server')).body).toMatchObject({ auditedAt: body.auditedAt, verdict: 'safe' })
  expect(registry.asked).toHaveLength(1)
  now += 1
  expect((await ask('@acme/server')).body).toMatchObject({ verdict: 'caution', drift: [] })
})

test('behavior: equal calls that overlap make one audit', async () => {
  registry.documents.set('files', makePackument('files'))
  const answers = await Promise.all(['files', 'files', 'files'].map(ask))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(registry.asked).toEqual(['/files'])
})

test('behavior: a daily audit of the same package is served, and later compared with', async () => {
  registry.documents.set('mail', makePackument('mail'))
  const { body } = await ask('mail')
  const stored = await readPackage(npm(), 'mail', null)
  daily = {
    ...body,
    packages: [stored],
    lastFound: [stored],
    drift: [],
    auditedAt: NOW,
    title: 'Mail',
  } as McpAudit
  now += DAY
  daily = { ...daily, auditedAt: now - 1 }
  expect((await ask('mail')).body).toMatchObject({
    title: 'Mail',
    auditedAt: new Date(now - 1).toISOString(),
  })
  now += DAY
  registry.documents.set('mail', makePackument('mail', { scripts: { postinstall: 'node collect.js' } }))
  const drifted = (await ask('mail')).body
  expect(drifted).toMatchObject({ verdict: 'avoid', drift: [{ code: 'script_added', package: 'mail' }] })
})

test('behavior: a daily audit of a server that installs something else does not speak for the package', async () => {
  registry.documents.set('files', makePackument('files'))
  const { body } = await ask('files')
  daily = { ...body, name: 'other', packages: [], lastFound: [], drift: [], verdict: 'avoid', auditedAt: NOW }
  registry.documents.set('other', makePackument('other'))
  expect((await ask('other')).body).toMatchObject({ package: 'other', verdict: 'safe' })
})

test.each([
  ['', 'malformed'],
  ['a b', 'malformed'],
  ['../up', 'malformed'],
  ['@scope', 'malformed'],
  ['a'.repeat(215), 'malformed'],
])('error: refuses %j as a name, and asks no registry', async (name, code) => {
  const { status, body } = await ask(name)
  expect([status, body.errors]).toEqual([400, [expect.objectContaining({ parameter: 'package', code })]])
  expect(registry.asked).toEqual([])
})

test('error: an unknown package is 404, and a registry that fails is 503 with Retry-After', async () => {
  expect(await ask('nobody')).toMatchObject({ status: 404, body: { code: 'package_absent' } })
  registry.documents.set('broken', 500)
  const down = await ask('broken')
  expect(down).toMatchObject({ status: 503, body: { code: 'registry_unreachable' } })
  expect(down.headers.get('retry-after')).toBe('60')
  // Neither is kept.
  registry.documents.set('nobody', makePackument('nobody'))
  expect((await ask('nobody')).status).toBe(200)
})

test('error: a client that asks for many new audits is refused, and still reads kept ones', async () => {
  registry.documents.set('files', makePackument('files'))
  expect((await ask('files')).status).toBe(200)
  for (let index = 1; index < 20; index++) expect((await ask(`absent-${index}`)).status).toBe(404)
  const refused = await ask('absent-20')
  expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask('files')).status).toBe(200)
})
