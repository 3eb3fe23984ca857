import * as z from 'zod/mini'
import { CountSchema, named, TimestampSchema } from '../primitives.ts'
import { DatasetRecordSchema, extentShape } from './dataset.ts'
import { EcosystemSchema } from './ecosystem.ts'
import { IncidentSchema } from './feeds.ts'
import { McpServerSchema } from './mcp.ts'

export const DataFullSchema = named(
  'DataFull',
  'All data: the audited services, best first, the audited MCP servers, the ecosystem, and the open incidents.',
  z.object({
    ...extentShape,
    services: z.array(DatasetRecordSchema),
    /** Number of all MCP servers. `limit` applies to services only. */
    mcpServerCount: CountSchema,
    mcpServers: z.array(McpServerSchema),
    ecosystem: EcosystemSchema,
    /** Open incidents, newest first. */
    incidents: z.array(IncidentSchema),
  }),
)

export const DataSampleSchema = named(
  'DataSample',
  'One whole record of each kind that the full data holds; null where there is none yet.',
  z.object({
    asOf: TimestampSchema,
    service: z.nullable(DatasetRecordSchema),
    mcpServer: z.nullable(McpServerSchema),
    incident: z.nullable(IncidentSchema),
    ecosystem: EcosystemSchema,
  }),
)

export type DataSample = z.infer<typeof DataSampleSchema>
export type DataFull = z.infer<typeof DataFullSchema>
