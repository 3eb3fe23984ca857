import * as z from 'zod/mini'
import { CountSchema, named, TimestampSchema } from '../primitives.ts'
import { VERDICTS } from '../verdictCodes.ts'

export const McpPackageSchema = named(
  'McpPackage',
  'Registry data of one package that an MCP server installs. Null: the registry does not state it.',
  z.object({
    name: z.string(),
    /** `not_measured`: the registry could not be reached. */
    outcome: z.enum(['found', 'absent', 'unpublished', 'not_measured']),
    version: z.nullable(z.string()),
    versions: CountSchema,
    createdAt: z.nullable(TimestampSchema),
    publishedAt: z.nullable(TimestampSchema),
    /** Accounts with publish rights. */
    maintainers: z.nullable(z.array(z.string())),
    license: z.nullable(z.string()),
    repository: z.nullable(z.string()),
    /** Lifecycle scripts among `preinstall`, `install` and `postinstall`. */
    installScripts: z.array(z.string()),
    hasProvenance: z.nullable(z.boolean()),
    isDeprecated: z.boolean(),
    integrity: z.nullable(z.string()),
    /** In the last week. */
    downloads: z.nullable(CountSchema),
  }),
)

export const McpDriftSchema = named(
  'McpDrift',
  'A change of a package since the previous audit.',
  z.object({
    code: z.string(),
    package: z.string(),
    at: TimestampSchema,
    before: z.string(),
    after: z.string(),
  }),
)

export const McpServerSchema = named(
  'McpServer',
  'The safety audit of one MCP server.',
  z.object({
    name: z.string(),
    /** The directory that lists it. */
    directory: z.string(),
    title: z.nullable(z.string()),
    version: z.nullable(z.string()),
    verdict: z.enum(['safe', 'caution', 'avoid', 'unknown']),
    /** Worst first. */
    reasons: z.array(
      z.object({
        code: z.string(),
        severity: z.enum(['info', 'warn', 'critical']),
        package: z.nullable(z.string()),
        message: z.string(),
      }),
    ),
    packages: z.array(McpPackageSchema),
    repository: z.nullable(z.string()),
    repositoryStatus: z.enum(['present', 'gone', 'unknown']),
    /** Of the last 30 days, newest first. */
    drift: z.array(McpDriftSchema),
    auditedAt: TimestampSchema,
  }),
)

export const McpVerificationSchema = named(
  'McpVerification',
  'The safety audit of one npm package as an MCP server, made when asked and kept a day.',
  z.extend(McpServerSchema, {
    asOf: TimestampSchema,
    /** As asked for. */
    package: z.string(),
    /** The next call after this makes a new audit. */
    expiresAt: TimestampSchema,
  }),
)

export const McpReportSchema = named(
  'McpReport',
  'The state of the audited MCP servers, and what changed lately.',
  z.object({
    asOf: TimestampSchema,
    current: z.object({ audited: CountSchema, byVerdict: z.record(z.enum(VERDICTS), CountSchema) }),
    deltas: z.object({ days: CountSchema, count: CountSchema, byKind: z.record(z.string(), CountSchema) }),
    live: z.object({ riskySample: z.array(McpServerSchema) }),
  }),
)

export const McpDriftFeedSchema = named(
  'McpDriftFeed',
  'Changes of the packages of audited MCP servers, newest first.',
  z.object({
    asOf: TimestampSchema,
    days: CountSchema,
    count: CountSchema,
    total: CountSchema,
    truncated: z.boolean(),
    events: z.array(
      z.object({
        kind: z.string(),
        package: z.string(),
        version: z.nullable(z.string()),
        before: z.string(),
        after: z.string(),
        at: TimestampSchema,
      }),
    ),
  }),
)

export type McpDriftFeed = z.infer<typeof McpDriftFeedSchema>
export type McpReport = z.infer<typeof McpReportSchema>
export type McpVerification = z.infer<typeof McpVerificationSchema>
export type McpServer = z.infer<typeof McpServerSchema>
