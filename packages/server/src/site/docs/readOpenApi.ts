import { z } from 'zod'

/** The part of a JSON Schema (OpenAPI 3.0 dialect) that the pages show. */
export type SchemaNode = {
  type?: string | undefined
  $ref?: string | undefined
  description?: string | undefined
  format?: string | undefined
  enum?: unknown[] | undefined
  nullable?: boolean | undefined
  items?: SchemaNode | undefined
  properties?: Record<string, SchemaNode> | undefined
  required?: string[] | undefined
  anyOf?: SchemaNode[] | undefined
  additionalProperties?: boolean | SchemaNode | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  default?: unknown
}

const SchemaNodeSchema: z.ZodType<SchemaNode> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    $ref: z.string().optional(),
    description: z.string().optional(),
    format: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    nullable: z.boolean().optional(),
    items: SchemaNodeSchema.optional(),
    properties: z.record(z.string(), SchemaNodeSchema).optional(),
    required: z.array(z.string()).optional(),
    anyOf: z.array(SchemaNodeSchema).optional(),
    additionalProperties: z.union([z.boolean(), SchemaNodeSchema]).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.unknown().optional(),
  }),
)

const ParameterSchema = z.object({
  name: z.string(),
  description: z.string(),
  required: z.boolean(),
  schema: SchemaNodeSchema,
})

const OperationSchema = z.object({
  operationId: z.string(),
  summary: z.string(),
  parameters: z.array(z.object({ $ref: z.string() })).default([]),
  'x-price-usd': z.string().optional(),
  responses: z.record(
    z.string(),
    z.object({
      content: z.record(z.string(), z.object({ schema: SchemaNodeSchema })).optional(),
    }),
  ),
})

const DocumentSchema = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.object({ get: OperationSchema })),
  components: z.object({
    schemas: z.record(z.string(), SchemaNodeSchema),
    parameters: z.record(z.string(), ParameterSchema),
  }),
})

export type OpenApiDocument = z.infer<typeof DocumentSchema>
export type OperationNode = z.infer<typeof OperationSchema>

/**
 * Reads the service's own OpenAPI document.
 * @throws ZodError where the document has a part that the pages could not show.
 */
export function readOpenApi(document: unknown): OpenApiDocument {
  return DocumentSchema.parse(document)
}

/** The last name in a `$ref`. */
export function nameOfRef(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}
