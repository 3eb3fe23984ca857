import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { McpAudit, McpListing, PackageFacts } from '../facts/mcpFacts.ts'
import { DAY } from '../facts/times.ts'
import { auditMcpServer, type McpAuditInput } from './audit.ts'

const NOW = Date.UTC(2026, 5, 1)
const listing: McpListing = {
  directory: 'registry',
  name: 'io.github.acme/server',
  title: 'A server',
  version: '1.4.0',
  status: 'active',
  repository: 'https://github.com/acme/server',
  packages: [{ name: '@acme/server', version: '1.4.0' }],
  hasOther: false,
}
const good: PackageFacts = {
  name: '@acme/server',
  outcome: 'found',
  version: '1.4.0',
  versions: 12,
  createdAt: NOW - 400 * DAY,
  publishedAt: NOW - 20 * DAY,
  maintainers: ['adam', 'zoe'],
  license: 'MIT',
  repository: 'https://github.com/acme/server',
  installScripts: [],
  hasProvenance: true,
  isDeprecated: false,
  isSecurityHolder: false,
  integrity: 'sha512-one',
  downloads: 5_000,
  isPartial: false,
  hasListedVersion: true,
}

const audit = (facts: Partial<PackageFacts> = {}, input: Partial<McpAuditInput> = {}): McpAudit =>
  auditMcpServer({
    listing,
    packages: [{ ...good, ...facts }],
    repositoryStatus: 'present',
    before: undefined,
    now: NOW,
    ...input,
  })
const codes = ({ reasons }: McpAudit) => reasons.map(({ code }) => code)
/** Repeats the audit a day later with changed facts. */
const again = (before: McpAudit, facts: Partial<PackageFacts>, input: Partial<McpAuditInput> = {}) =>
  audit(facts, { before, now: before.auditedAt + DAY, ...input })

describe('auditMcpServer', () => {
  test('default', () => {
    expect(audit()).toMatchObject({ verdict: 'safe', reasons: [], drift: [], repository: listing.repository })
  })

  test.each<[string, Partial<PackageFacts>, string]>([
    ['install_script', { installScripts: ['postinstall'] }, 'caution'],
    ['new_with_install_script', { installScripts: ['install'], createdAt: NOW - 20 * DAY }, 'avoid'],
    ['very_new', { createdAt: NOW - DAY }, 'caution'],
    ['stale', { publishedAt: NOW - 800 * DAY }, 'caution'],
    ['deprecated', { isDeprecated: true }, 'caution'],
    ['security_holder', { isSecurityHolder: true }, 'avoid'],
    ['no_maintainer', { maintainers: [] }, 'caution'],
    ['no_repository', { repository: null }, 'caution'],
    ['repository_mismatch', { repository: 'https://github.com/other/server' }, 'caution'],
    ['no_license', { license: null }, 'caution'],
    ['version_absent', { hasListedVersion: false }, 'caution'],
    ['no_provenance', { hasProvenance: false }, 'safe'],
    ['few_downloads', { downloads: 3 }, 'safe'],
    ['package_absent', { outcome: 'absent' }, 'avoid'],
    ['package_unpublished', { outcome: 'unpublished' }, 'avoid'],
    ['partial', { isPartial: true, maintainers: null, createdAt: null, hasProvenance: null }, 'unknown'],
    ['not_measured', { outcome: 'not_measured' }, 'unknown'],
  ])('behavior: %s', (code, facts, verdict) => {
    const result = audit(facts)
    expect(codes(result)).toEqual([code])
    expect(result.verdict).toBe(verdict)
  })

  test('behavior: judges the listing too', () => {
    const listed = (more: Partial<McpListing>) => audit({}, { listing: { ...listing, ...more } })
    expect(listed({ status: 'deleted' })).toMatchObject({ verdict: 'avoid' })
    expect(listed({ status: 'deprecated' })).toMatchObject({ verdict: 'caution' })
    expect(audit({}, { repositoryStatus: 'gone' })).toMatchObject({ verdict: 'caution' })
    const remote = audit({}, { packages: [], listing: { ...listing, packages: [], hasOther: true } })
    expect([remote.verdict, codes(remote)]).toEqual(['unknown', ['no_package']])
  })

  test('behavior: treats a folder of the same repository as the same source', () => {
    const inFolder = { ...listing, repository: 'https://www.GitHub.com/acme/server/tree/main/packages/x' }
    expect(audit({}, { listing: inFolder }).verdict).toBe('safe')
  })
})

describe('drift', () => {
  test.each<[string, Partial<PackageFacts>, string]>([
    ['script_added', { installScripts: ['postinstall'], version: '1.5.0', integrity: 'sha512-two' }, 'avoid'],
    ['owners_replaced', { maintainers: ['mallory'] }, 'avoid'],
    ['owners_changed', { maintainers: ['adam', 'mallory'] }, 'caution'],
    ['archive_changed', { integrity: 'sha512-two' }, 'avoid'],
    ['repository_gone', { repository: null }, 'caution'],
    ['unpublished', { outcome: 'unpublished' }, 'avoid'],
  ])('behavior: %s', (code, facts, verdict) => {
    const result = again(audit(), facts)
    expect(result.drift.map((change) => change.code)).toEqual([code])
    expect(codes(result)).toContain(code)
    expect(result.verdict).toBe(verdict)
  })

  test('behavior: counts for 30 days and is listed once', () => {
    let last = again(audit(), { maintainers: ['mallory'] })
    for (let day = 2; day <= 30; day++) {
      last = again(last, { maintainers: ['mallory'] })
      expect([day, last.verdict, last.drift.length]).toEqual([day, 'avoid', 1])
    }
    last = again(last, { maintainers: ['mallory'] })
    expect([last.verdict, last.drift]).toEqual(['safe', []])
  })

  test('behavior: is dropped once it is undone', () => {
    const scripted = again(audit(), { installScripts: ['install'] })
    expect(again(scripted, {}).verdict).toBe('safe')
    const gone = again(audit(), { outcome: 'unpublished' })
    expect(again(gone, {}).verdict).toBe('safe')
  })

  test('behavior: missing maintainers are no change of maintainers', () => {
    const mirrored = again(audit(), { maintainers: null, isPartial: true })
    expect(mirrored.drift).toEqual([])
  })

  test('behavior: an audit without a measurement hides no change', () => {
    const blind = again(audit(), { outcome: 'not_measured', maintainers: null })
    expect([blind.verdict, blind.drift]).toEqual(['unknown', []])
    expect(codes(again(blind, { maintainers: ['mallory'] }))).toContain('owners_replaced')
  })

  test('behavior: detects a source that is no longer reachable', () => {
    const result = again(audit(), {}, { repositoryStatus: 'gone' })
    expect(result.drift).toMatchObject([{ code: 'repository_gone', before: listing.repository }])
    expect(again(audit(), {}, { repositoryStatus: 'unknown' }).drift).toEqual([])
  })
})

test('behavior: one more bad finding never improves a verdict', () => {
  const bad: Partial<PackageFacts>[] = [
    { installScripts: ['install'] },
    { createdAt: NOW - DAY },
    { isDeprecated: true },
    { isSecurityHolder: true },
    { repository: null },
    { license: null },
    { hasProvenance: false },
    { downloads: 0 },
    { hasListedVersion: false },
    { maintainers: ['mallory'] },
  ]
  const rank = ['safe', 'caution', 'avoid']
  fc.assert(
    fc.property(fc.subarray(bad), fc.constantFrom(...bad), fc.boolean(), (some, one, isFollowUp) => {
      const before = isFollowUp ? { before: audit({}, { now: NOW - DAY }) } : {}
      const facts = Object.assign({}, ...some) as Partial<PackageFacts>
      const worse = audit({ ...facts, ...one }, before)
      return rank.indexOf(worse.verdict) >= rank.indexOf(audit(facts, before).verdict)
    }),
  )
})
