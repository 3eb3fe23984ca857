import * as z from 'zod/mini'
import { CountSchema, named } from '../primitives.ts'
import { DatasetRecordSchema, extentShape } from './dataset.ts'
import { IncidentSchema } from './feeds.ts'
import { McpServerSchema } from './mcp.ts'
import { EcosystemSchema } from './trust.ts'

export const DataFullSchema = named(
  'DataFull',
  'Everything: the audited services, best first, the audited MCP servers, the ecosystem, and the open incidents.',
  z.object({
    ...extentShape,
    services: z.array(DatasetRecordSchema),
    /** How many MCP servers there are; `limit` is about services alone. */
    mcpServerCount: CountSchema,
    mcpServers: z.array(McpServerSchema),
    ecosystem: EcosystemSchema,
    /** Those that are open, newest first. */
    incidents: z.array(IncidentSchema),
  }),
)

export type DataFull = z.infer<typeof DataFullSchema>
