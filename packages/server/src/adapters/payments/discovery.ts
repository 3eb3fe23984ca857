import { OPERATIONS, type Operation, type PaidOperationId, type QueryParameter } from '@touchstone402/shared'
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar'
import * as z from 'zod/mini'

type Json = Record<string, unknown>

/** The discovery extension of a v2 challenge: how to call the operation, with a query that works, and what comes back. */
export function describeForBazaar(id: PaidOperationId, url: string): Json {
  const operation: Operation = OPERATIONS[id]
  const required = Object.keys(operation.query).filter((name) => operation.query[name]?.required)
  const output = outputSchema(operation)
  const declared = declareDiscoveryExtension({
    input: OPERATIONS[id].sampleQuery,
    inputSchema: { properties: inputProperties(operation), ...(required.length > 0 && { required }) },
    output: { example: sampleOf(output), schema: output },
  })
  // The stock server fills the method in at each request; here it is always GET.
  const context = { method: 'GET', adapter: { getPath: () => new URL(url).pathname } }
  const { bazaar } = declared
  return { bazaar: bazaarResourceServerExtension.enrichDeclaration?.(bazaar, context) ?? bazaar }
}

/** What a v1 challenge tells in `outputSchema`. */
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

// Queries are text whatever they mean.
function describeParameter({ description }: QueryParameter): Json {
  return { type: 'string', description }
}

// Without the names that the OpenAPI document refers to.
/**
 * The top level of an answer: names and types. Clients send the challenge back within their payment, and headers above
 * 8 kB do not pass every proxy, so the whole schema stays in the OpenAPI document.
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

/** An answer in outline: the required names with empty values. */
function sampleOf(schema: Json): Json {
  const first = Array.isArray(schema.anyOf) ? schema.anyOf.at(-1) : schema
  const { properties, required } = first as {
    properties: Record<string, { type?: string }>
    required: string[]
  }
  return Object.fromEntries(required.map((name) => [name, SAMPLES[properties[name]?.type ?? 'null'] ?? null]))
}
