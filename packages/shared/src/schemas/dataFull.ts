import * as z from 'zod/mini'
import * as common from './common.ts'
import { DatasetRecordSchema, extentShape } from './dataset.ts'
import { EcosystemSchema } from './ecosystem.ts'
import { IncidentSchema } from './feeds.ts'
import * as f from './fields.ts'
import { McpServerSchema } from './mcp.ts'

export const DataFullSchema = f.model(
  'DataFull',
  'All audited services and MCP servers, the ecosystem, and the open incidents.',
  {
    ...extentShape,
    services: f.listOf('Services, best first.', DatasetRecordSchema),
    mcpServerCount: f.whole('Number of all MCP servers; the limit applies to services only.'),
    mcpServers: f.listOf('Safety audits of MCP servers.', McpServerSchema),
    ecosystem: EcosystemSchema,
    incidents: f.listOf('Open incidents, newest first.', IncidentSchema),
  },
)

export const DataSampleSchema = f.model('DataSample', 'One record of each kind that the full data holds.', {
  asOf: common.asOf,
  service: f.about(
    'A record of services; null before the first working one.',
    z.nullable(DatasetRecordSchema),
  ),
  mcpServer: f.about('A record of mcpServers; null before the first audit.', z.nullable(McpServerSchema)),
  incident: f.about('A record of incidents; null if none is open.', z.nullable(IncidentSchema)),
  ecosystem: EcosystemSchema,
})

export type DataSample = z.infer<typeof DataSampleSchema>
export type DataFull = z.infer<typeof DataFullSchema>
