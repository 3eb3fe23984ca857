import * as z from 'zod/mini'
import { CountSchema, named, TimestampSchema } from '../primitives.ts'

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

export type McpServer = z.infer<typeof McpServerSchema>
