import { expect, test } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { describeAudit } from './describe.ts'

const NOW = Date.UTC(2026, 5, 1)
const published = {
  name: 'weather-mcp',
  outcome: 'found' as const,
  version: '1.4.0',
  versions: 3,
  maintainers: ['ann'],
  license: 'MIT',
  repository: null,
  installScripts: [],
  hasProvenance: true,
  isDeprecated: false,
  integrity: 'sha512-x',
  downloads: 10,
}
const facts = {
  ...published,
  createdAt: NOW - 9 * HOUR,
  publishedAt: null,
  isSecurityHolder: false,
  isPartial: false,
  hasListedVersion: null,
}
const server = {
  name: 'io.example/weather',
  directory: 'registry',
  title: 'Weather',
  version: '1.4.0',
  verdict: 'safe' as const,
  repository: null,
  repositoryStatus: 'unknown' as const,
}
const audit = { ...server, reasons: [], packages: [facts], lastFound: [facts], drift: [], auditedAt: NOW }

test('default: publishes the fields of the contract and no other that a stored audit holds', () => {
  const stored = { ...audit, stored: 1, packages: [{ ...facts, stored: 1 }] }
  expect(describeAudit(stored, NOW)).toEqual({
    ...server,
    reasons: [],
    packages: [{ ...published, createdAt: '2026-05-31T15:00:00.000Z', publishedAt: null }],
    drift: [],
    auditedAt: '2026-06-01T00:00:00.000Z',
  })
})

test('behavior: is unknown after 48 hours', () => {
  expect(describeAudit(audit, NOW + 48 * HOUR).verdict).toBe('safe')
  expect(describeAudit(audit, NOW + 48 * HOUR + 1)).toMatchObject({
    verdict: 'unknown',
    reasons: [{ code: 'expired' }],
  })
})
