import * as z from 'zod/mini'
import { about, CountSchema, named, TimestampSchema } from '../primitives.ts'
import { COMMON } from './common.ts'

export const McpPackageSchema = named(
  'McpPackage',
  'Registry data of one package that an MCP server installs. Null: the registry does not state it.',
  z.object({
    name: about('Name of the npm package.', z.string()),
    outcome: about(
      'found, absent, unpublished, or not_measured if the registry could not be reached.',
      z.enum(['found', 'absent', 'unpublished', 'not_measured']),
    ),
    version: about('Version that is installed; null if there is none.', z.nullable(z.string())),
    versions: about('Number of published versions.', CountSchema),
    createdAt: about('Time of the first publication, UTC.', z.nullable(TimestampSchema)),
    publishedAt: about('Time at which this version was published, UTC.', z.nullable(TimestampSchema)),
    maintainers: about('Accounts with publish rights.', z.nullable(z.array(z.string()))),
    license: about('SPDX id of the license.', z.nullable(z.string())),
    repository: about('URL of the source repository.', z.nullable(z.string())),
    installScripts: about(
      'Lifecycle scripts that run at installation: preinstall, install or postinstall.',
      z.array(z.string()),
    ),
    hasProvenance: about('Whether the version has a provenance attestation.', z.nullable(z.boolean())),
    isDeprecated: about('Whether the version is deprecated.', z.boolean()),
    integrity: about('Subresource integrity of the tarball.', z.nullable(z.string())),
    downloads: about('Downloads of the last week.', z.nullable(CountSchema)),
  }),
)

export const McpDriftSchema = named(
  'McpDrift',
  'A change of a package since the previous audit.',
  z.object({
    code: about('Kind of the change.', z.string()),
    package: about('Name of the npm package.', z.string()),
    at: about('Time at which it was found, UTC.', TimestampSchema),
    before: about('Value before.', z.string()),
    after: about('Value after.', z.string()),
  }),
)

export const McpServerSchema = named(
  'McpServer',
  'The safety audit of one MCP server.',
  z.object({
    name: about('Name in its directory.', z.string()),
    directory: about('The directory that lists it.', z.string()),
    title: about('Title that it gives itself; null without one.', z.nullable(z.string())),
    version: about('Version that the directory lists; null without one.', z.nullable(z.string())),
    verdict: about(COMMON.verdict, z.enum(['safe', 'caution', 'avoid', 'unknown'])),
    reasons: about(
      'Findings, worst first.',
      z.array(
        z.object({
          code: about('Id of the finding.', z.string()),
          severity: about(COMMON.severity, z.enum(['info', 'warn', 'critical'])),
          package: about('Package that it is about; null if it is about the server.', z.nullable(z.string())),
          message: about('The finding in one sentence.', z.string()),
        }),
      ),
    ),
    packages: about('npm packages that it installs.', z.array(McpPackageSchema)),
    repository: about('URL of its source repository; null if none is stated.', z.nullable(z.string())),
    repositoryStatus: about(
      'Whether the repository is present or gone, or unknown.',
      z.enum(['present', 'gone', 'unknown']),
    ),
    drift: about('Changes of its packages in the last 30 days, newest first.', z.array(McpDriftSchema)),
    auditedAt: about('Time of the audit, UTC.', TimestampSchema),
  }),
)

export const McpVerificationSchema = named(
  'McpVerification',
  'The safety audit of one npm package as an MCP server, made when asked and kept a day.',
  z.extend(McpServerSchema, {
    asOf: about(COMMON.asOf, TimestampSchema),
    package: about('Name of the package, as asked for.', z.string()),
    expiresAt: about(
      'Time up to which the audit is kept, UTC; a call after it makes a new one.',
      TimestampSchema,
    ),
  }),
)

export const McpReportSchema = named(
  'McpReport',
  'The state of the audited MCP servers, and what changed lately.',
  z.object({
    asOf: about(COMMON.asOf, TimestampSchema),
    current: about(
      'All audited servers.',
      z.object({
        audited: about('Number of servers.', CountSchema),
        byVerdict: about(
          'Number of servers by verdict.',
          z.object({
            safe: about('Servers without a finding that matters.', CountSchema),
            caution: about('Servers to be used with caution.', CountSchema),
            avoid: about('Servers to avoid.', CountSchema),
            unknown: about('Servers that could not be audited lately.', CountSchema),
          }),
        ),
      }),
    ),
    deltas: about(
      'Changes of packages found lately.',
      z.object({
        days: about('Number of days that they cover.', CountSchema),
        count: about('Number of changes.', CountSchema),
        byKind: about('Number of changes by kind.', z.record(z.string(), CountSchema)),
      }),
    ),
    live: about(
      'Examples of the current state.',
      z.object({
        riskySample: about(
          'Servers to avoid, then those to use with caution; at most ten.',
          z.array(McpServerSchema),
        ),
      }),
    ),
  }),
)

export const McpDriftFeedSchema = named(
  'McpDriftFeed',
  'Changes of the packages of audited MCP servers, newest first.',
  z.object({
    asOf: about(COMMON.asOf, TimestampSchema),
    days: about(COMMON.days, CountSchema),
    count: about(COMMON.count, CountSchema),
    total: about(COMMON.total, CountSchema),
    truncated: about(COMMON.truncated, z.boolean()),
    events: about(
      'Changes, newest first; what several servers share stands once.',
      z.array(
        z.object({
          kind: about('Kind of the change.', z.string()),
          package: about('Name of the npm package.', z.string()),
          version: about('Version at the last audit; null if there is none.', z.nullable(z.string())),
          before: about('Value before.', z.string()),
          after: about('Value after.', z.string()),
          at: about('Time at which it was found, UTC.', TimestampSchema),
        }),
      ),
    ),
  }),
)

export type McpDriftFeed = z.infer<typeof McpDriftFeedSchema>
export type McpReport = z.infer<typeof McpReportSchema>
export type McpVerification = z.infer<typeof McpVerificationSchema>
export type McpServer = z.infer<typeof McpServerSchema>
