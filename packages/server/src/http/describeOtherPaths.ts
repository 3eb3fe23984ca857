import type * as z from 'zod/mini'
import { OTHER_PATHS, type OtherPath } from './otherPaths.ts'
import { parameterExample, parameterSchema } from './schemas/parameterSchema.ts'

type Json = Record<string, unknown>

/** Describes pages, feeds and documents as path items of the OpenAPI document. */
export function describeOtherPaths(schemaRef: (schema: z.ZodMiniType) => Json): Json {
  return Object.fromEntries(
    Object.entries(OTHER_PATHS).map(([path, other]) => [path, { get: describe(other, schemaRef) }]),
  )
}

const isBinary = (type: string) => type.endsWith('stream') || type === 'image/png'

function describe(other: OtherPath, schemaRef: (schema: z.ZodMiniType) => Json): Json {
  const { operationId, summary, types, schema, query = {}, segments = {} } = other
  const bodyOf = (type: string) => {
    if (!type.endsWith('json')) return { type: 'string', ...(isBinary(type) && { format: 'binary' }) }
    return schema === undefined ? { type: 'object' } : schemaRef(schema)
  }
  const ofPath = Object.entries(segments).map(([name, [description, example]]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  }))
  const ofQuery = Object.entries(query).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: parameter.required ?? false,
    description: parameter.description,
    schema: parameterSchema(parameter),
    example: parameterExample(parameter),
  }))
  const parameters = [...ofPath, ...ofQuery]
  return {
    operationId,
    tags: ['page'],
    summary,
    ...(parameters.length > 0 && { parameters }),
    responses: {
      200: {
        description: 'Success.',
        content: Object.fromEntries(types.map((type) => [type, { schema: bodyOf(type) }])),
      },
      ...(ofQuery.length > 0 && { 400: { $ref: '#/components/responses/BadQuery' } }),
      404: { $ref: '#/components/responses/NotFound' },
      429: { $ref: '#/components/responses/TooManyRequests' },
      500: { $ref: '#/components/responses/Internal' },
      503: { $ref: '#/components/responses/Unavailable' },
    },
  }
}
