import { COMMON } from './common.ts'
import { DATASETS } from './datasets.ts'
import { FEEDS } from './feeds.ts'
import { FORMS } from './forms.ts'
import { TOKENS } from './tokens.ts'
import { PROFILES, VERDICTS } from './verdicts.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Descriptions of properties, by schema and path such as `daily[].date`. Not beside the schemas: the guard bundles those,
 * and its users should not load prose.
 */
export const DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...VERDICTS,
  ...PROFILES,
  ...FEEDS,
  ...DATASETS,
  ...TOKENS,
  ...FORMS,
}

/** Adds the descriptions of its properties to a named schema of an OpenAPI 3.0 document. */
export function describeProperties(id: string, schema: unknown): unknown {
  const own = DESCRIPTIONS[id] ?? {}
  const visit = (node: unknown, path: string): unknown => {
    if (!isJson(node)) return node
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => {
        if (key === 'properties' && isJson(value)) return [key, visitProperties(value, path)]
        if (key === 'items') return [key, visit(value, `${path}[]`)]
        if (key === 'anyOf' && Array.isArray(value)) return [key, value.map((one) => visit(one, path))]
        return [key, value]
      }),
    )
  }
  const visitProperties = (properties: Json, path: string): Json =>
    Object.fromEntries(
      Object.entries(properties).map(([name, node]) => {
        const at = path === '' ? name : `${path}.${name}`
        return [name, describe(visit(node, at), own[at] ?? COMMON[name])]
      }),
    )
  return visit(schema, '')
}

/** OpenAPI 3.0 ignores what stands beside a reference, so the reference moves into an `allOf`. */
function describe(node: unknown, description: string | undefined): unknown {
  if (!isJson(node) || description === undefined) return node
  const { $ref, ...rest } = node
  return $ref === undefined ? { ...rest, description } : { allOf: [{ $ref }], description }
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
