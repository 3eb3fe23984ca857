import * as z from 'zod/mini'
import { CountSchema, named } from '../primitives.ts'
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

export type DataFull = z.infer<typeof DataFullSchema>
