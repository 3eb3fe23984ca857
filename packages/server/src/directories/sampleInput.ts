import { asObject } from '@touchstone402/shared'
import { type Row, readList, readMethod, readObject } from '../lib/fields.ts'
import { generateValues } from './generateValue.ts'
import { isUsable, MAX_STEPS, type Steps, takeStep } from './usableSample.ts'

/** Sample input of an endpoint, from its listing. */
export type SampleInput = {
  readonly method: string | null
  readonly query: Readonly<Record<string, string>>
  readonly path: Readonly<Record<string, string>>
  /** Other declared values of the query, one parameter each. */
  readonly others: readonly (readonly [name: string, value: string])[]
  /** Values of the query that the listing does not give but that fit its schemas, one parameter each. */
  readonly generated: readonly (readonly [name: string, value: string])[]
  /** JSON text. */
  readonly body: string | null
  /** Whether there is input, and all of it is the seller's own usable sample, nothing invented. */
  readonly isDeclared: boolean
}

const MAX_BODY = 16 * 1024
const MAX_DEPTH = 4
const MAX_FIELDS = 50

/**
 * Reads the input of a v2 Bazaar extension: `{ info: { input }, schema }`.
 * Source: `@x402/extensions`, types of the Bazaar extension.
 * @param steps shared by listings of one document. @default 5,000
 */
export function readBazaarInput(
  extension: Row | undefined,
  steps: Steps = { left: MAX_STEPS },
): SampleInput | undefined {
  const input = readHttpInput(readObject(extension, 'info'))
  if (input === undefined) return undefined
  const schema = readObject(readObject(readObject(extension, 'schema'), 'properties'), 'input')
  return toSample(input, readObject(schema, 'properties'), true, steps)
}

/**
 * Reads the input of a v1 entry: `outputSchema.input`. Its texts may be samples or descriptions, so they do not count as
 * the seller's own sample.
 */
export function readV1Input(entry: Row | undefined): SampleInput | undefined {
  const input = readHttpInput(readObject(entry, 'outputSchema'))
  return input && toSample(input, undefined, false, { left: MAX_STEPS })
}

function readHttpInput(parent: Row | undefined): Row | undefined {
  const input = readObject(parent, 'input')
  return input?.type === undefined || input.type === 'http' ? input : undefined
}

/** Returns whether a v2 Bazaar extension or a v1 entry describes the output, by sample or schema. */
export function hasOutput(extension: Row | undefined, entry: Row | undefined): boolean {
  const schema = readObject(readObject(readObject(extension, 'schema'), 'properties'), 'output')
  const output = readObject(readObject(extension, 'info'), 'output') ?? schema
  return (output ?? readObject(readObject(entry, 'outputSchema'), 'output')) !== undefined
}

function toSample(input: Row, schema: Row | undefined, isTextSample: boolean, steps: Steps): SampleInput {
  const sample = (part: string, ...names: readonly string[]) => {
    const declared = readObject(input, ...names)
    // A field may contain its schema instead of samples.
    const own = declared?.type === 'object' ? readObject(declared, 'properties') : undefined
    const kind = { isTextSample, isInUrl: part !== 'body', steps }
    return own === undefined
      ? sampleFields(declared, readObject(schema, part), kind)
      : sampleFields(own, declared, kind)
  }
  const query = sample('queryParams', 'queryParams', 'query_params', 'query', 'params')
  const path = sample('pathParams', 'pathParams', 'path_params')
  const fields = sample('body', 'bodyFields', 'body_fields', 'bodyParams', 'body', 'data', 'properties')
  const declaredQuery = readObject(input, 'queryParams', 'query_params', 'query', 'params')
  const querySchemas =
    declaredQuery?.type === 'object'
      ? readObject(declaredQuery, 'properties')
      : readObject(readObject(schema, 'queryParams'), 'properties')
  const type = input.bodyType ?? input.body_type
  const isJson = !(typeof type === 'string' && /form|multipart|text|plain/i.test(type))
  const text = Object.keys(fields.value).length > 0 ? JSON.stringify(fields.value) : null
  const body = isJson && text !== null && text.length <= MAX_BODY ? text : null
  const parts = [query, path, fields].filter(({ value }) => Object.keys(value).length > 0)
  return {
    method: readMethod(input, 'method'),
    query: toTexts(query.value),
    others: listOthers(toTexts(query.value), querySchemas, steps),
    generated: listGenerated(toTexts(query.value), querySchemas, steps),
    path: toTexts(path.value),
    body,
    isDeclared:
      parts.length > 0 &&
      parts.every(({ isOwn }) => isOwn) &&
      body === text &&
      // Other values are not sent in a URL, or not as the seller may expect them.
      [query, path].every(({ value }) => Object.values(value).every(isPlain)),
  }
}

/** A sample, and whether it is the seller's own. */
type Sampled<T = unknown> = { readonly value: T; readonly isOwn: boolean }

/** Whether texts may be samples, whether values are sent as text in a URL, and the steps left. */
type SampleKind = { readonly isTextSample: boolean; readonly isInUrl: boolean; readonly steps: Steps }

/** Samples the declared fields, and invents those that the schema requires but the listing does not give. */
function sampleFields(
  declared: Row | undefined,
  schema: Row | undefined,
  kind: SampleKind,
): Sampled<Record<string, unknown>> {
  const value: Record<string, unknown> = {}
  let isOwn = true
  const take = (name: string, sampled: Sampled) => {
    value[name] = sampled.value
    isOwn &&= sampled.isOwn
  }
  const properties = readObject(schema, 'properties')
  for (const [name, field] of Object.entries(declared ?? {}).slice(0, MAX_FIELDS)) {
    take(name, sampleValue(field, readObject(properties, name) ?? {}, kind))
  }
  for (const [name, property] of requiredFields(schema)) {
    if (!Object.hasOwn(value, name)) take(name, sampleSchema(property, MAX_DEPTH, kind.steps))
  }
  return { value, isOwn }
}

const SCHEMA_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object'])

function sampleValue(value: unknown, schema: Row, { isTextSample, isInUrl, steps }: SampleKind): Sampled {
  const object = asObject(value)
  if (object !== undefined && typeof object.type === 'string' && SCHEMA_TYPES.has(object.type)) {
    return sampleSchema(object, MAX_DEPTH, steps)
  }
  const isSample = isTextSample || typeof value === 'number' || typeof value === 'boolean'
  if (isSample && (isUsable(value, schema, steps) || (isInUrl && isUsableAsText(value, schema, steps))))
    return { value, isOwn: true }
  const other = findSample(schema, steps)
  return other === undefined ? { value, isOwn: false } : { value: other, isOwn: true }
}

/** Whether a number given for a text, or a text given for a number, is usable where both are sent as text. */
function isUsableAsText(value: unknown, schema: Row, steps: Steps): boolean {
  if (schema.type === 'string') return typeof value === 'number' && isUsable(String(value), schema, steps)
  const isNumber = schema.type === 'number' || schema.type === 'integer'
  return (
    isNumber && typeof value === 'string' && value.trim() !== '' && isUsable(Number(value), schema, steps)
  )
}

function sampleSchema(schema: Row, depth: number, steps: Steps): Sampled {
  const value = takeStep(steps) ? findSample(schema, steps) : undefined
  return value === undefined ? { value: invent(schema, depth, steps), isOwn: false } : { value, isOwn: true }
}

/** Returns the first usable sample that a schema gives. */
function findSample(schema: Row, steps: Steps): unknown {
  const { example, default: standard, const: only } = schema
  const lists = [readList(schema, 'examples') ?? [], readList(schema, 'enum') ?? []]
  return [example, standard, only, ...lists.flatMap((list) => list.slice(0, MAX_FIELDS))].find(
    (value) => value !== undefined && value !== null && isUsable(value, schema, steps),
  )
}

/** Maximum number of other values of one endpoint. */
const MAX_OTHERS = 8

/** Lists the declared values of the query beside those that are sent: of examples, enums and the ends of ranges. */
function listOthers(
  sent: Readonly<Record<string, string>>,
  schemas: Row | undefined,
  steps: Steps,
): SampleInput['others'] {
  const others = Object.entries(sent).flatMap(([name, value]) => {
    const schema = readObject(schemas, name) ?? {}
    const lists = [readList(schema, 'examples') ?? [], readList(schema, 'enum') ?? []]
    const declared = [schema.example, schema.default, ...lists.flatMap((list) => list.slice(0, MAX_OTHERS))]
    return [...declared, schema.minimum, schema.maximum]
      .filter((one) => isPlain(one) && isUsable(one, schema, steps))
      .map((one) => [name, String(one)] as const)
      .filter(([, text]) => text !== value)
  })
  return [...new Map(others.map((one) => [one.join('='), one])).values()].slice(0, MAX_OTHERS)
}

/** Generates values of the declared parameters of the query, beside those that are sent. */
function listGenerated(
  sent: Readonly<Record<string, string>>,
  schemas: Row | undefined,
  steps: Steps,
): SampleInput['generated'] {
  const fields = Object.entries(schemas ?? {}).slice(0, MAX_FIELDS)
  return fields
    .flatMap(([name, schema]) =>
      generateValues(name, asObject(schema) ?? {}, steps).map((value) => [name, value] as const),
    )
    .filter(([name, value]) => sent[name] !== value)
    .slice(0, MAX_OTHERS)
}

function invent(schema: Row, depth: number, steps: Steps): unknown {
  switch (schema.type) {
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    case 'array':
      return depth === 0 ? [] : [sampleSchema(readObject(schema, 'items') ?? {}, depth - 1, steps).value]
    case 'object':
      return depth === 0 || steps.left < 0 ? {} : inventObject(schema, depth - 1, steps)
    default:
      // A reserved name, if the schema asks for a format.
      return (typeof schema.format === 'string' ? generateValues('', schema, steps)[0] : undefined) ?? 'test'
  }
}

function inventObject(schema: Row, depth: number, steps: Steps): Record<string, unknown> {
  const fields = requiredFields(schema).map(([name, property]) => [
    name,
    sampleSchema(property, depth, steps).value,
  ])
  return Object.fromEntries(fields)
}

/** Returns the required properties of an object schema, by name. */
function requiredFields(schema: Row | undefined): (readonly [name: string, property: Row])[] {
  const properties = readObject(schema, 'properties')
  return (readList(schema, 'required') ?? [])
    .slice(0, MAX_FIELDS)
    .filter((name): name is string => typeof name === 'string')
    .map((name) => [name, asObject(properties?.[name]) ?? {}])
}

function toTexts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const one = Array.isArray(value) ? value.filter(isPlain).join(',') : value
      return isPlain(one) ? [[name, String(one)]] : []
    }),
  )
}

// Objects are excluded because a hostile `toString` field would make `String` throw.
const isPlain = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'object'
