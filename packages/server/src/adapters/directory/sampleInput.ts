import { asObject, type Row, readList, readMethod, readObject } from '../../remote/fields.ts'

/** How an endpoint wants to be called, as its listing declares it. */
export type SampleInput = {
  readonly method: string | null
  readonly query: Readonly<Record<string, string>>
  readonly path: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body: string | null
  /** Whether there is input, and every value of it is the seller's own sample and none was made up here. */
  readonly isDeclared: boolean
}

const MAX_BODY = 16 * 1024
const MAX_DEPTH = 4
const MAX_FIELDS = 50

/**
 * Reads the declared call of a v2 Bazaar extension: `{ info: { input }, schema }`.
 * Source: `@x402/extensions`, types of the Bazaar extension.
 */
export function readBazaarInput(extension: Row | undefined): SampleInput | undefined {
  const input = readObject(readObject(extension, 'info'), 'input')
  if (input === undefined || (input.type !== undefined && input.type !== 'http')) return undefined
  const schema = readObject(readObject(readObject(extension, 'schema'), 'properties'), 'input')
  return toSample(input, readObject(schema, 'properties'), true)
}

/**
 * Reads the declared call of a v1 entry: `outputSchema.input`. Its fields are samples or descriptions, and text may
 * be either, so text alone declares nothing.
 */
export function readV1Input(entry: Row | undefined): SampleInput | undefined {
  const input = readObject(readObject(entry, 'outputSchema'), 'input')
  if (input === undefined || (input.type !== undefined && input.type !== 'http')) return undefined
  return toSample(input, undefined, false)
}

/** Whether a v2 Bazaar extension says what answer comes, as a sample or as a schema, or a v1 entry does. */
export function hasOutput(extension: Row | undefined, entry: Row | undefined): boolean {
  const schema = readObject(readObject(readObject(extension, 'schema'), 'properties'), 'output')
  const output = readObject(readObject(extension, 'info'), 'output') ?? schema
  return (output ?? readObject(readObject(entry, 'outputSchema'), 'output')) !== undefined
}

function toSample(input: Row, schema: Row | undefined, isTextSample: boolean): SampleInput {
  const query = sampleFields(
    readObject(input, 'queryParams', 'query_params', 'query', 'params'),
    readObject(schema, 'queryParams'),
    isTextSample,
  )
  const path = sampleFields(
    readObject(input, 'pathParams', 'path_params'),
    readObject(schema, 'pathParams'),
    isTextSample,
  )
  const isJson = !/form|multipart|text|plain/i.test(String(input.bodyType ?? input.body_type ?? ''))
  const fields = sampleFields(
    readObject(input, 'bodyFields', 'body_fields', 'bodyParams', 'body', 'data', 'properties'),
    readObject(schema, 'body'),
    isTextSample,
  )
  const text = Object.keys(fields.values).length > 0 ? JSON.stringify(fields.values) : null
  const body = isJson && text !== null && text.length <= MAX_BODY ? text : null
  const parts = [query, path, fields].filter(({ values }) => Object.keys(values).length > 0)
  return {
    method: readMethod(input, 'method'),
    query: toTexts(query.values),
    path: toTexts(path.values),
    body,
    isDeclared: parts.length > 0 && parts.every(({ isOwn }) => isOwn) && body === text,
  }
}

type Sampled = { readonly value: unknown; readonly isOwn: boolean }
type SampledFields = { readonly values: Record<string, unknown>; readonly isOwn: boolean }

/** Takes the declared fields; those that the schema requires and nobody gave are made up. */
function sampleFields(
  declared: Row | undefined,
  schema: Row | undefined,
  isTextSample: boolean,
): SampledFields {
  const values: Record<string, unknown> = {}
  let isOwn = true
  const take = (name: string, sampled: Sampled) => {
    values[name] = sampled.value
    isOwn &&= sampled.isOwn
  }
  for (const [name, value] of Object.entries(declared ?? {}).slice(0, MAX_FIELDS)) {
    take(name, sampleValue(value, isTextSample, MAX_DEPTH))
  }
  const properties = readObject(schema, 'properties')
  for (const name of readList(schema, 'required')?.slice(0, MAX_FIELDS) ?? []) {
    if (typeof name !== 'string' || Object.hasOwn(values, name)) continue
    take(name, sampleSchema(asObject(properties?.[name]) ?? {}, MAX_DEPTH))
  }
  return { values, isOwn }
}

const SCHEMA_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object'])

function sampleValue(value: unknown, isTextSample: boolean, depth: number): Sampled {
  const object = asObject(value)
  // A field may hold its schema instead of a sample.
  if (object !== undefined && typeof object.type === 'string' && SCHEMA_TYPES.has(object.type)) {
    return sampleSchema(object, depth)
  }
  if (typeof value === 'string') return { value, isOwn: isTextSample }
  return { value, isOwn: true }
}

function sampleSchema(schema: Row, depth: number): Sampled {
  for (const name of ['example', 'default', 'const']) {
    if (schema[name] !== undefined) return { value: schema[name], isOwn: true }
  }
  const [choice] = readList(schema, 'examples', 'enum') ?? []
  if (choice !== undefined) return { value: choice, isOwn: true }
  return { value: makeUp(schema, depth), isOwn: false }
}

function makeUp(schema: Row, depth: number): unknown {
  switch (schema.type) {
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    case 'array':
      return depth === 0 ? [] : [sampleSchema(readObject(schema, 'items') ?? {}, depth - 1).value]
    case 'object':
      return depth === 0 ? {} : sampleRequired(schema, depth - 1)
    default:
      return 'test'
  }
}

function sampleRequired(schema: Row, depth: number): Record<string, unknown> {
  const properties = readObject(schema, 'properties')
  const names = (readList(schema, 'required') ?? []).filter(
    (name): name is string => typeof name === 'string',
  )
  return Object.fromEntries(
    names
      .slice(0, MAX_FIELDS)
      .map((name) => [name, sampleSchema(asObject(properties?.[name]) ?? {}, depth).value]),
  )
}

function toTexts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const one = Array.isArray(value) ? value.filter(isPlain).join(',') : value
      return isPlain(one) ? [[name, String(one)]] : []
    }),
  )
}

// An object may say of itself that it has no text, and an error here would lose the page that it stands in.
const isPlain = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'object'
