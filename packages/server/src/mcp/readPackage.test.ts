import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readPackumentText, readRepository } from './packument.ts'
import { type PackageRegistry, readPackage } from './readPackage.ts'
import { type LocalRegistry, makePackument, startRegistry } from './testing/registry.ts'

let registry: LocalRegistry
beforeAll(async () => {
  registry = await startRegistry()
})
afterAll(() => registry.close())
beforeEach(() => {
  registry.documents.clear()
  registry.downloads.clear()
  registry.asked.length = 0
})

const npm = (options: Partial<PackageRegistry> = {}): PackageRegistry => ({
  url: registry.url,
  contact: 'https://touchstone.test',
  timeoutMs: 20_000,
  retries: 0,
  parse: readPackumentText,
  ...options,
})

/** Reads a package with this latest release. */
async function readRelease(release: Readonly<Record<string, unknown>>, more: object = {}) {
  registry.documents.set('server', makePackument('server', release, more))
  return readPackage(npm(), 'server', null)
}

describe('readPackage', () => {
  test('default', async () => {
    registry.documents.set('@acme/server', makePackument('@acme/server'))
    registry.downloads.set('@acme/server', 1_234)
    const facts = await readPackage(npm({ downloadsUrl: registry.url }), '@acme/server', '1.3.0')
    expect(facts).toEqual({
      name: '@acme/server',
      outcome: 'found',
      version: '1.4.0',
      versions: 2,
      createdAt: Date.UTC(2024, 4, 1),
      publishedAt: Date.UTC(2026, 3, 1),
      maintainers: ['adam', 'zoe'],
      license: 'MIT',
      repository: 'https://github.com/acme/server',
      installScripts: [],
      hasProvenance: true,
      isDeprecated: false,
      isSecurityHolder: false,
      integrity: 'sha512-one',
      downloads: 1_234,
      isPartial: false,
      hasListedVersion: true,
    })
    expect(registry.asked).toEqual(['/@acme%2fserver', '/downloads/point/last-week/@acme/server'])
  })

  test('behavior: finds scripts that run on install', async () => {
    const scripts = { preinstall: 'node a.js', postinstall: 'node b.js', prepare: 'tsc' }
    expect((await readRelease({ scripts })).installScripts).toEqual(['preinstall', 'postinstall'])
    expect((await readRelease({ gypfile: true })).installScripts).toEqual(['install'])
    expect((await readRelease({ hasInstallScript: true })).installScripts).toEqual(['install'])
  })

  test('behavior: reads deprecation, security holders, licences and missing fields', async () => {
    expect(await readRelease({ deprecated: 'use another' })).toMatchObject({ isDeprecated: true })
    expect(await readRelease({ repository: 'npm/security-holder' })).toMatchObject({ isSecurityHolder: true })
    expect(await readRelease({ license: { type: 'ISC' } })).toMatchObject({ license: 'ISC' })
    expect(
      await readRelease({ license: 'UNLICENSED', repository: undefined, dist: { signatures: [] } }),
    ).toMatchObject({
      license: null,
      repository: null,
      hasProvenance: false,
      integrity: null,
    })
  })

  test('behavior: treats fields that a mirror leaves out as unknown', async () => {
    const mirrored = { maintainers: undefined, time: { '1.4.0': '2026-05-08T22:14:21.089Z' } }
    expect(await readRelease({ dist: { integrity: 'sha512-one' } }, mirrored)).toMatchObject({
      outcome: 'found',
      isPartial: true,
      maintainers: null,
      createdAt: null,
      publishedAt: null,
      hasProvenance: null,
    })
  })

  test('behavior: distinguishes absent, unpublished and unreadable packages', async () => {
    const time = { created: '2024-05-01T00:00:00.000Z', unpublished: { time: '2026-01-01T00:00:00.000Z' } }
    registry.documents.set('taken-back', { name: 'taken-back', time })
    registry.documents.set('broken', 500)
    registry.documents.set('nonsense', '<html>')
    registry.documents.set('list', [])
    const names = ['missing', 'taken-back', 'broken', 'nonsense', 'list']
    const outcomes = await Promise.all(
      names.map(async (name) => (await readPackage(npm(), name, null)).outcome),
    )
    expect(outcomes).toEqual(['absent', 'unpublished', 'not_measured', 'not_measured', 'not_measured'])
  })

  test('behavior: never puts an invalid name into a URL', async () => {
    const names = ['../../admin', 'a/b/c', '@x', 'a?b', 'a b', '', 'x'.repeat(300), '.hidden']
    const outcomes = await Promise.all(
      names.map(async (name) => (await readPackage(npm(), name, null)).outcome),
    )
    expect(outcomes).toEqual(names.map(() => 'absent'))
    expect(registry.asked).toEqual([])
  })

  test('behavior: an endless document or an unreachable registry is not_measured', async () => {
    registry.documents.set('big', `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`)
    expect((await readPackage(npm(), 'big', null)).outcome).toBe('not_measured')
    const gone = npm({ url: 'http://127.0.0.1:1' })
    expect((await readPackage(gone, 'server', null)).outcome).toBe('not_measured')
    expect((await readPackage(npm(), 'server', null, AbortSignal.abort())).outcome).toBe('not_measured')
  })

  test('behavior: unknown downloads are null', async () => {
    registry.documents.set('server', makePackument('server'))
    expect((await readPackage(npm({ downloadsUrl: registry.url }), 'server', null)).downloads).toBeNull()
  })
})

test.each([
  ['git+https://github.com/a/b.git', 'https://github.com/a/b'],
  ['git+ssh://git@github.com/a/b.git', 'https://github.com/a/b'],
  ['git@github.com:a/b.git', 'https://github.com/a/b'],
  ['git://github.com/a/b', 'https://github.com/a/b'],
  ['github:a/b', 'https://github.com/a/b'],
  ['a/b', 'https://github.com/a/b'],
  ['gitlab:a/b', 'https://gitlab.com/a/b'],
  ['https://user:pass@git.example.org:8443/a/b/', null],
  ['https://git.example.org:8443/a/b/', 'https://git.example.org:8443/a/b'],
  ['ssh://git@git.example.org:22/a/b.git', 'https://git.example.org/a/b'],
  ['javascript:alert(1)', null],
  ['', null],
  [7, null],
])('behavior: the source %s is %s', (value, expected) => {
  expect(readRepository(value)).toBe(expected)
})
