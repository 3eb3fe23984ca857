import * as z from 'zod/mini'
import * as common from './common.ts'
import * as f from './fields.ts'

const OUTCOMES = ['found', 'absent', 'unpublished', 'not_measured'] as const

const McpPackageSchema = f.model('McpPackage', 'Registry data of one package. Null: not stated there.', {
  name: f.text('Name of the npm package.'),
  outcome: f.oneOf('What the registry said; not_measured if it could not be reached.', OUTCOMES),
  version: z.nullable(f.text('Version that is installed; null if there is none.')),
  versions: f.whole('Number of published versions.'),
  createdAt: z.nullable(f.time('Time of the first publication, UTC.')),
  publishedAt: z.nullable(f.time('Time at which this version was published, UTC.')),
  maintainers: z.nullable(f.texts('Accounts with publish rights.')),
  license: z.nullable(f.text('SPDX id of the license.')),
  repository: z.nullable(f.text('URL of the source repository.')),
  installScripts: f.texts('Lifecycle scripts that run at installation: preinstall, install or postinstall.'),
  hasProvenance: z.nullable(f.bool('Whether the version has a provenance attestation.')),
  isDeprecated: f.bool('Whether the version is deprecated.'),
  integrity: z.nullable(f.text('Subresource integrity of the tarball.')),
  downloads: z.nullable(f.whole('Downloads of the last week.')),
})

const McpDriftSchema = f.model('McpDrift', 'A change of a package since the previous audit.', {
  code: f.text('Kind of the change.'),
  package: f.text('Name of the npm package.'),
  at: f.time('Time at which it was found, UTC.'),
  before: f.text('Value before.'),
  after: f.text('Value after.'),
})

export const McpServerSchema = f.model('McpServer', 'The safety audit of one MCP server.', {
  name: f.text('Name in its directory.'),
  directory: f.text('The directory that lists it.'),
  title: z.nullable(f.text('Title that it gives itself; null without one.')),
  version: z.nullable(f.text('Version that the directory lists; null without one.')),
  verdict: common.verdict,
  reasons: f.list('Findings, worst first.', {
    code: f.text('Id of the finding.'),
    severity: common.severity,
    package: z.nullable(f.text('Package that it is about; null if it is about the server.')),
    message: f.text('The finding in one sentence.'),
  }),
  packages: f.listOf('npm packages that it installs.', McpPackageSchema),
  repository: z.nullable(f.text('URL of its source repository; null if none is stated.')),
  repositoryStatus: f.oneOf('Whether the repository is there.', ['present', 'gone', 'unknown']),
  drift: f.listOf('Changes of its packages in the last 30 days, newest first.', McpDriftSchema),
  auditedAt: f.time('Time of the audit, UTC.'),
})

export const McpVerificationSchema = f.named(
  'McpVerification',
  'The safety audit of one npm package as an MCP server, made when asked and kept a day.',
  z.extend(McpServerSchema, {
    asOf: common.asOf,
    package: f.text('Name of the package, as asked for.'),
    expiresAt: f.time('Time up to which the audit is kept, UTC; a call after it makes a new one.'),
  }),
)

export const McpReportSchema = f.model('McpReport', 'The state of the audited MCP servers.', {
  asOf: common.asOf,
  current: f.group('All audited servers.', {
    audited: f.whole('Number of servers.'),
    byVerdict: f.group('Number of servers by verdict.', {
      safe: f.whole('Servers without a finding that matters.'),
      caution: f.whole('Servers to be used with caution.'),
      avoid: f.whole('Servers to avoid.'),
      unknown: f.whole('Servers that could not be audited lately.'),
    }),
  }),
  deltas: f.group('Changes of packages found lately.', {
    days: f.whole('Number of days that they cover.'),
    count: f.whole('Number of changes.'),
    byKind: f.counts('Number of changes by kind.'),
  }),
  live: f.group('Examples of the current state.', {
    riskySample: f.listOf('Servers to avoid, then those with caution; at most ten.', McpServerSchema),
  }),
})

export const McpDriftFeedSchema = f.model('McpDriftFeed', 'Changes of the packages of audited servers.', {
  asOf: common.asOf,
  days: common.days,
  count: common.count,
  total: common.total,
  truncated: common.truncated,
  events: f.list('Changes, newest first; what several servers share stands once.', {
    kind: f.text('Kind of the change.'),
    package: f.text('Name of the npm package.'),
    version: z.nullable(f.text('Version at the last audit; null if there is none.')),
    before: f.text('Value before.'),
    after: f.text('Value after.'),
    at: f.time('Time at which it was found, UTC.'),
  }),
})

export type McpDriftFeed = z.infer<typeof McpDriftFeedSchema>
export type McpVerification = z.infer<typeof McpVerificationSchema>
export type McpServer = z.infer<typeof McpServerSchema>
