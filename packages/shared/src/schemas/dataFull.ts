import * as z from 'zod/mini'
import { about, CountSchema, named, TimestampSchema } from '../primitives.ts'
import { COMMON } from './common.ts'
import { DatasetRecordSchema, extentShape } from './dataset.ts'
import { EcosystemSchema } from './ecosystem.ts'
import { IncidentSchema } from './feeds.ts'
import { McpServerSchema } from './mcp.ts'

export const DataFullSchema = named(
  'DataFull',
  'All data: the audited services, best first, the audited MCP servers, the ecosystem, and the open incidents.',
  z.object({
    ...extentShape,
    services: about('Services, best first.', z.array(DatasetRecordSchema)),
    mcpServerCount: about('Number of all MCP servers; the limit applies to services only.', CountSchema),
    mcpServers: about('Safety audits of MCP servers.', z.array(McpServerSchema)),
    ecosystem: EcosystemSchema,
    incidents: about('Open incidents, newest first.', z.array(IncidentSchema)),
  }),
)

export const DataSampleSchema = named(
  'DataSample',
  'One whole record of each kind that the full data holds; null where there is none yet.',
  z.object({
    asOf: about(COMMON.asOf, TimestampSchema),
    service: about(
      'A record of services; null before the first working one.',
      z.nullable(DatasetRecordSchema),
    ),
    mcpServer: about('A record of mcpServers; null before the first audit.', z.nullable(McpServerSchema)),
    incident: about('A record of incidents; null if none is open.', z.nullable(IncidentSchema)),
    ecosystem: EcosystemSchema,
  }),
)

export type DataSample = z.infer<typeof DataSampleSchema>
export type DataFull = z.infer<typeof DataFullSchema>
