import { OPERATIONS, type Operation, type PaidOperationId, type QueryParameter } from '@touchstone402/shared'
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar'
import * as z from 'zod/mini'

type Json = Record<string, unknown>

/** Describes an operation in the discovery extension of a v2 challenge: input schema, a working sample query, output. */
export function describeForBazaar(id: PaidOperationId, url: string): Json {
  const operation: Operation = OPERATIONS[id]
  const required = Object.keys(operation.query).filter((name) => operation.query[name]?.required)
  const output = outputSchema(operation)
  const declared = declareDiscoveryExtension({
    input: OPERATIONS[id].sampleQuery,
    inputSchema: { properties: inputProperties(operation), ...(required.length > 0 && { required }) },
    output: { example: sampleOf(output), schema: output },
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

function inputProperties(operation: Operation): Json {
  return Object.fromEntries(
    Object.entries(operation.query).map(([name, parameter]) => [name, describeParameter(parameter)]),
  )
}

// Every query parameter is text.
function describeParameter({ description }: QueryParameter): Json {
  return { type: 'string', description }
}

/**
 * Returns the top level of an answer's schema: names and types. Clients send the challenge back in a header, and some
 * proxies refuse headers above 8 kB, so the full schema is only in the OpenAPI document.
 */
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
