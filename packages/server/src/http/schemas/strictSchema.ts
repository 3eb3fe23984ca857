type Json = Readonly<Record<string, unknown>>

/**
 * Rewrites a schema for strict OpenAPI 3.0 validators: `nullable` widens only the `type` beside it, not a reference or an
 * `enum`, and each `required` name must be among the `properties`.
 * Source: OpenAPI proposal 2019-10-31, "Clarify Semantics of nullable in OpenAPI 3.0".
 */
export function toStrictSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toStrictSchema)
  if (!isJson(schema)) return schema
  const strict = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'enum' ? value : toStrictSchema(value)]),
  )
  return nameRequired(widenEnum(widenReference(strict)))
}

function widenReference(schema: Json): Json {
  const { nullable, allOf, ...rest } = schema
  if (nullable !== true || !Array.isArray(allOf) || allOf.length !== 1) return schema
  return { ...rest, anyOf: [allOf[0], { type: 'object', nullable: true, enum: [null] }] }
}

function widenEnum(schema: Json): Json {
  if (schema.nullable !== true || !Array.isArray(schema.enum) || schema.enum.includes(null)) return schema
  return { ...schema, enum: [...schema.enum, null] }
}

// zod writes a map with known keys as a map with required keys.
function nameRequired(schema: Json): Json {
  const { required, properties, additionalProperties, ...rest } = schema
  if (!Array.isArray(required) || properties !== undefined || !isJson(additionalProperties)) return schema
  const named = Object.fromEntries(required.map((name) => [name, additionalProperties]))
  return { ...rest, properties: named, required }
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
