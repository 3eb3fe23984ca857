import { OPERATIONS, type Operation, type PaidOperationId, type QueryParameter } from '@touchstone402/shared'
import {
  bazaarResourceServerExtension,
  type DeclareQueryDiscoveryExtensionConfig,
  declareDiscoveryExtension,
} from '@x402/extensions/bazaar'
import * as z from 'zod/mini'

type Json = Record<string, unknown>

/** Describes an operation in the discovery extension of v2: input schema, a working sample query, output. */
export function describeForBazaar(id: PaidOperationId, url: string): Json {
  const operation: Operation = OPERATIONS[id]
  const output = outputSchema(operation)
  return declare(id, url, describeParameter, { output: { example: sampleOf(output), schema: output } })
}

/**
 * Returns the least that directories need of it: method, parameters and a working sample query. Proxies limit the size
 * of a head, a stock nginx to 4 kB, so the rest is in the body of a challenge and in the OpenAPI document.
 */
export function describeInHeader(id: PaidOperationId, url: string): Json {
  return declare(id, url, () => ({ type: 'string' }))
}

function declare(
  id: PaidOperationId,
  url: string,
  describe: (parameter: QueryParameter) => Json,
  more: Pick<DeclareQueryDiscoveryExtensionConfig, 'output'> = {},
): Json {
  const { query }: Operation = OPERATIONS[id]
  const required = Object.keys(query).filter((name) => query[name]?.required)
  const properties = Object.fromEntries(
    Object.entries(query).map(([name, parameter]) => [name, describe(parameter)]),
  )
  const declared = declareDiscoveryExtension({
    input: OPERATIONS[id].sampleQuery,
    inputSchema: { properties, ...(required.length > 0 && { required }) },
    ...more,
  })
  // The stock server adds the method per request; ours is always GET.
  const context = { method: 'GET', adapter: { getPath: () => new URL(url).pathname } }
  const { bazaar } = declared
  return { bazaar: bazaarResourceServerExtension.enrichDeclaration?.(bazaar, context) ?? bazaar }
}

/** Describes an operation in the `outputSchema` of a v1 challenge. */
export function describeForV1(id: PaidOperationId): Json {
  const operation: Operation = OPERATIONS[id]
  const queryParams = Object.fromEntries(
    Object.entries(operation.query).map(([name, parameter]) => [
      name,
      { ...describeParameter(parameter), required: parameter.required === true },
    ]),
  )
  return {
    input: { type: 'http', method: 'GET', discoverable: true, queryParams },
    output: outputSchema(operation),
  }
}

// Every query parameter is text.
function describeParameter({ description }: QueryParameter): Json {
  return { type: 'string', description }
}

/** Returns the top level of an answer's schema: names and types. The full schema is in the OpenAPI document. */
function outputSchema(operation: Operation): Json {
  const schemas = operation.response.map((schema) => compact(z.toJSONSchema(schema, { io: 'input' })))
  return schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: schemas }
}

function compact(schema: z.core.JSONSchema.BaseSchema): Json {
  const properties: Json = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = typeof property === 'object' ? property.type : undefined
    properties[name] = type === undefined ? {} : { type }
  }
  return { type: 'object', properties, required: schema.required ?? [] }
}

const SAMPLES: Json = { string: '', integer: 0, number: 0, boolean: false, array: [], object: {}, null: null }

/** Creates a sample answer: the required names with empty values. */
function sampleOf(schema: Json): Json {
  const first = Array.isArray(schema.anyOf) ? schema.anyOf.at(-1) : schema
  const { properties, required } = first as {
    properties: Record<string, { type?: string }>
    required: string[]
  }
  return Object.fromEntries(required.map((name) => [name, SAMPLES[properties[name]?.type ?? 'null'] ?? null]))
}
