import { buildOpenApi, type OpenApiOptions } from '../../http/openapi.ts'

/** A schema of the OpenAPI document, with what this page shows of it. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly (string | null)[]
  readonly nullable?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
}
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
export type Parameter = {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly example?: unknown
}
type Described = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly $ref?: string; readonly content?: Content }>
  >
  readonly 'x-price-usd'?: string
}
/** Schemas and answers by their names. */
export type Components = {
  readonly schemas: Readonly<Record<string, Schema>>
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}
type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: Components
}
/** An operation and where it is. */
export type Operation = Described & { readonly path: string; readonly method: string }

/** Reads the OpenAPI document of a deployment: every operation, and the schemas and answers that they share. */
export function readOpenApi(options: OpenApiOptions) {
  // The document is built here, in the form that these types describe.
  const { paths, components } = buildOpenApi(options) as unknown as OpenApi
  const operations = Object.entries(paths).flatMap(([path, methods]): Operation[] =>
    Object.entries(methods).map(([method, one]) => ({ ...one, path, method: method.toUpperCase() })),
  )
  return { operations, components }
}

/** A property of an answer. */
export type Field = { readonly name: string; readonly schema: Schema; readonly isRequired: boolean }

/** Lists the properties of a schema, those of objects within it under their path. */
export function listFields({ properties = {}, required = [], items }: Schema, prefix = ''): Field[] {
  if (items?.properties !== undefined) return listFields(items, `${prefix}[]`)
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    return [{ name, schema, isRequired: required.includes(key) }, ...listFields(schema, name)]
  })
}

/** The name of the schema or answer that a reference names. */
export const nameOf = ($ref = '') => $ref.split('/').at(-1) ?? ''

/** Names every schema that a schema refers to, itself or through others, in the order of the reading. */
export function reachable(
  schema: Schema | undefined,
  schemas: Components['schemas'],
  found = new Set<string>(),
) {
  if (schema === undefined) return []
  const name = nameOf(schema.$ref)
  if (name !== '' && !found.has(name)) {
    found.add(name)
    reachable(schemas[name], schemas, found)
  }
  const { properties = {}, items, anyOf = [], allOf = [], additionalProperties } = schema
  const within = [...Object.values(properties), ...anyOf, ...allOf, ...(items ? [items] : [])]
  if (typeof additionalProperties === 'object') within.push(additionalProperties)
  for (const one of within) reachable(one, schemas, found)
  return [...found]
}
