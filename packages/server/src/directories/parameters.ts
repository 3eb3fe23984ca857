import { asObject } from '@touchstone402/shared'
import { type Row, readList, readObject } from '../lib/fields.ts'
import { readBazaarInput, type SampleInput } from './sampleInput.ts'
import type { Steps } from './usableSample.ts'

/** One parameter of a request, as a document of the host declares it. */
export type Parameter = {
  readonly name: string
  readonly place: 'query' | 'path' | 'body'
  /** Whether a request without it may be refused. */
  readonly isNeeded: boolean
  readonly schema: Row
  /** The sample beside its schema, if any. */
  readonly example: unknown
}

/** Returns the first example of a parameter, a schema or a media type: `example`, or one of `examples`, list or map. */
export function firstExample(row: Row | undefined): unknown {
  if (row?.example !== undefined) return row.example
  const [listed] = readList(row, 'examples') ?? []
  if (listed !== undefined) return listed
  const [named] = Object.values(readObject(row, 'examples') ?? {})
  return asObject(named)?.value ?? named
}

/**
 * Samples parameters: those that are needed or have an example. Samples are checked against their schemas, and what a
 * document does not give is invented, which makes the input undeclared.
 * @param body schema and example of a JSON body, beside the parameters
 */
export function sampleParameters(
  parameters: readonly Parameter[],
  method: string | null,
  body: { readonly schema: Row | undefined; readonly example: Row | undefined } | undefined,
  steps?: Steps,
): SampleInput | undefined {
  const [query, path, fields] = (['query', 'path', 'body'] as const).map((place) => pick(parameters, place))
  const hasBody = body !== undefined || Object.keys(fields?.samples ?? {}).length > 0
  return readBazaarInput(
    {
      info: {
        input: {
          type: 'http',
          method,
          queryParams: query?.samples,
          pathParams: path?.samples,
          ...(hasBody && { bodyType: 'json', body: body?.example ?? fields?.samples }),
        },
      },
      schema: {
        properties: {
          input: { properties: { queryParams: query, pathParams: path, body: body?.schema ?? fields } },
        },
      },
    },
    steps,
  )
}

function pick(parameters: readonly Parameter[], wanted: Parameter['place']) {
  const own = parameters.filter(({ place }) => place === wanted)
  const samples = own.flatMap(({ name, isNeeded, schema, example }) => {
    const sample = example ?? (isNeeded ? schema : undefined)
    return sample === undefined ? [] : [[name, sample] as const]
  })
  return {
    samples: Object.fromEntries(samples) as Row,
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])) as Row,
  }
}

const BODILESS: ReadonlySet<string | null> = new Set([null, 'GET', 'HEAD', 'DELETE'])

/**
 * Reads the `parameters` of an entry: a list of `{name, …}`, an object of schemas or texts by name, or a JSON schema.
 * If the document does not state which are required, all are.
 */
export function readParameters(row: Row, method: string | null): SampleInput | undefined {
  const { parameters, params, inputSchema, input_schema } = row
  const declared = parameters ?? params ?? inputSchema ?? input_schema
  const place = BODILESS.has(method) ? 'query' : 'body'
  const read = listDeclared(declared).map(({ name, field, isNeeded }): Parameter => {
    const { in: at, required, ...rest } = field
    const stated = at === 'query' || at === 'path' || at === 'body' ? at : place
    const own = readObject(field, 'schema') ?? rest
    return {
      name,
      place: stated,
      isNeeded: isNeeded ?? (field.optional !== true && required !== false),
      schema: { type: 'string', ...own },
      example: firstExample(field) ?? firstExample(own),
    }
  })
  return read.length === 0 ? undefined : sampleParameters(read, method, undefined)
}

type Declared = { readonly name: string; readonly field: Row; readonly isNeeded?: boolean }

function listDeclared(declared: unknown): readonly Declared[] {
  if (Array.isArray(declared))
    return declared.flatMap((one) => {
      const field = asObject(one)
      return typeof field?.name === 'string' ? [{ name: field.name, field }] : []
    })
  const top = asObject(declared)
  const properties = top?.type === 'object' ? readObject(top, 'properties') : undefined
  const required = readList(top, 'required') ?? []
  return Object.entries(properties ?? top ?? {}).map(([name, value]): Declared => {
    // A text describes the parameter.
    const field = asObject(value) ?? {}
    return properties === undefined ? { name, field } : { name, field, isNeeded: required.includes(name) }
  })
}
