import { asObject } from '@touchstone402/shared'
import type { DirectoryPage, ListedRow } from '../../ports/directory.ts'
import { type Row, readList, readObject, readText } from '../../remote/fields.ts'
import { claimPrice, resolveOwn } from './hostDocuments.ts'
import { MAX_ENTRIES, mapPage } from './readPages.ts'
import { readBazaarInput } from './sampleInput.ts'
import { toRow } from './toRow.ts'
import { type Steps, takeStep } from './usableSample.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const MAX_HOPS = 5
const MAX_REF = 300
/** Maximum number of steps through one document, whose parts may be referred to many times. */
const MAX_STEPS = 250_000

/** The document that references are resolved in. */
type Api = { readonly root: Row; readonly steps: Steps }

type Operation = {
  readonly path: string
  readonly method: string
  readonly item: Row
  readonly operation: Row
}

/**
 * Reads the paid operations of an OpenAPI document: those with `x-payment-info` or a 402 response. Parameters and bodies
 * are sampled from their examples; without an example they are invented, and the input does not count as declared.
 */
export function readOpenApi(directory: string, origin: string, document: unknown): DirectoryPage {
  const api = { root: asObject(document) ?? {}, steps: { left: MAX_STEPS } }
  const paths = readObject(api.root, 'paths') ?? {}
  const operations = Object.entries(paths).flatMap(([path, value]) => {
    const item = asObject(value)
    return METHODS.flatMap((method): Operation[] => {
      const operation = readObject(item, method)
      return item !== undefined && operation !== undefined && isPaid(operation)
        ? [{ path, method, item, operation }]
        : []
    })
  })
  const base = readBase(api.root, origin)
  return mapPage(operations, (operation) => mapOperation(directory, base, api, operation), MAX_ENTRIES)
}

function isPaid(operation: Row): boolean {
  const { 'x-payment-info': payment, responses } = operation
  return payment !== undefined || asObject(responses)?.['402'] !== undefined
}

/** Returns the base URL of the paths: the first server of the same host, or the origin. */
function readBase(api: Row, origin: string): string {
  for (const server of readList(api, 'servers') ?? []) {
    const url = asObject(server)?.url
    try {
      if (typeof url === 'string') return resolveOwn(origin, url).replace(/\/+$/, '')
    } catch {
      // Skip servers of other hosts.
    }
  }
  return origin
}

function mapOperation(
  directory: string,
  base: string,
  api: Api,
  { path, method, item, operation }: Operation,
): ListedRow {
  const parameters = [
    ...(readList(item, 'parameters') ?? []),
    ...(readList(operation, 'parameters') ?? []),
  ].map((one) => resolve(api, one))
  const body = resolve(api, operation.requestBody)
  const json = readObject(readObject(body, 'content'), 'application/json')
  const schema = resolve(api, json?.schema)
  const example = asObject(json?.example) ?? readObject(schema, 'example')
  const [query, inPath] = ['query', 'path'].map((place) => pickParameters(api, parameters, place))
  return toRow({
    directory,
    listedUrl: resolveOwn(base, base + path),
    method: method.toUpperCase(),
    // Reuse the sampling of the Bazaar extension, which also checks examples against their schemas.
    input: readBazaarInput(
      {
        info: {
          input: {
            type: 'http',
            method,
            queryParams: query?.samples,
            pathParams: inPath?.samples,
            ...(json === undefined ? {} : { bodyType: 'json', body: example ?? {} }),
          },
        },
        schema: {
          properties: { input: { properties: { queryParams: query, pathParams: inPath, body: schema } } },
        },
      },
      api.steps,
    ),
    declaresOutput: hasAnswerSchema(api, operation),
    title: readText(operation, 'summary', 'operationId', 'description'),
    category: readText({ tag: readList(operation, 'tags')?.[0] }, 'tag'),
    claims: claimPrice(readObject(operation, 'x-payment-info')),
    claimedAt: null,
    ownClaim: true,
  })
}

/** Returns whether a 2xx response has a schema or an example. */
function hasAnswerSchema(api: Api, operation: Row): boolean {
  const answers = Object.entries(readObject(operation, 'responses') ?? {})
  return answers.some(([status, answer]) => {
    const media = /^2..$/.test(status) ? readObject(resolve(api, answer), 'content') : undefined
    return Object.values(media ?? {}).some((one) => {
      const { schema, example, examples } = asObject(one) ?? {}
      return (schema ?? example ?? examples) !== undefined
    })
  })
}

/** Returns samples of the parameters of one place (`query` or `path`) that are required or have one, and all schemas. */
function pickParameters(
  api: Api,
  parameters: readonly (Row | undefined)[],
  place: string,
): { samples: Row; properties: Row } {
  const picked = parameters.flatMap((parameter) => {
    const name = parameter?.name
    if (parameter === undefined || parameter.in !== place || typeof name !== 'string') return []
    const schema: Row = { type: 'string', ...resolve(api, parameter.schema) }
    const { required, example = schema.example } = parameter
    return [{ name, schema, sample: example ?? (required === true ? schema : undefined) }]
  })
  return {
    samples: Object.fromEntries(
      picked.flatMap(({ name, sample }) => (sample === undefined ? [] : [[name, sample]])),
    ),
    properties: Object.fromEntries(picked.map(({ name, schema }) => [name, schema])),
  }
}

/** Resolves `$ref` within the document, as long as there are steps left for what it refers to. */
function resolve({ root, steps }: Api, value: unknown): Row | undefined {
  let row = asObject(value)
  for (let hop = 0; hop < MAX_HOPS && typeof row?.$ref === 'string'; hop++) {
    if (row.$ref.length > MAX_REF) return undefined
    const [start, ...names] = row.$ref.split('/')
    if (start !== '#') return undefined
    row = names.reduce<Row | undefined>(
      (found, name) => readObject(found, name.replaceAll('~1', '/').replaceAll('~0', '~')),
      root,
    )
    if (steps.left < 0 || !takeStep(steps, JSON.stringify(row)?.length)) return undefined
  }
  return row
}
