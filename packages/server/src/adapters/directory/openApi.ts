import type { DirectoryPage, ListedRow } from '../../ports/directory.ts'
import { asObject, type Row, readList, readObject, readText } from '../../remote/fields.ts'
import { claimPrice, MAX_ENTRIES, resolveOwn } from './hostDocuments.ts'
import { mapPage } from './readPages.ts'
import { readBazaarInput } from './sampleInput.ts'
import { toRow } from './toRow.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const MAX_HOPS = 5

type Operation = {
  readonly path: string
  readonly method: string
  readonly item: Row
  readonly operation: Row
}

/**
 * Reads the paid operations of an OpenAPI document: those with `x-payment-info`, or with an answer 402. Parameters
 * and bodies are sampled from their examples; what has none is made up, and then not called declared.
 */
export function readOpenApi(directory: string, origin: string, document: unknown): DirectoryPage {
  const api = asObject(document)
  const paths = readObject(api, 'paths') ?? {}
  const operations = Object.entries(paths).flatMap(([path, value]) => {
    const item = asObject(value)
    return METHODS.flatMap((method): Operation[] => {
      const operation = readObject(item, method)
      return item !== undefined && operation !== undefined && isPaid(operation)
        ? [{ path, method, item, operation }]
        : []
    })
  })
  const base = readBase(api, origin)
  return mapPage(operations.slice(0, MAX_ENTRIES), (entry) =>
    mapOperation(directory, base, api ?? {}, entry as Operation),
  )
}

function isPaid(operation: Row): boolean {
  return (
    operation['x-payment-info'] !== undefined || readObject(operation, 'responses')?.['402'] !== undefined
  )
}

/** Where the paths start: the first server of the host itself, or its root. */
function readBase(api: Row | undefined, origin: string): string {
  for (const server of readList(api, 'servers') ?? []) {
    const url = asObject(server)?.url
    try {
      if (typeof url === 'string') return resolveOwn(origin, url).replace(/\/+$/, '')
    } catch {
      // A server elsewhere is somebody else's.
    }
  }
  return origin
}

function mapOperation(
  directory: string,
  base: string,
  api: Row,
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
  return toRow({
    directory,
    listedUrl: resolveOwn(base, base + path),
    method: method.toUpperCase(),
    // The same question as the Bazaar's extension answers, in other words.
    input: readBazaarInput({
      info: {
        input: {
          type: 'http',
          method,
          queryParams: pickParameters(api, parameters, 'query'),
          pathParams: pickParameters(api, parameters, 'path'),
          ...(json === undefined ? {} : { bodyType: 'json', body: example ?? {} }),
        },
      },
      schema: { properties: { input: { properties: example === undefined ? { body: schema } : {} } } },
    }),
    declaresOutput: hasAnswerSchema(api, operation),
    title: readText(operation, 'summary', 'operationId', 'description'),
    category: readText({ tag: readList(operation, 'tags')?.[0] }, 'tag'),
    claims: claimPrice(readObject(operation, 'x-payment-info')),
    claimedAt: null,
    ownClaim: true,
  })
}

/** Whether a success has a schema or an example, of whatever media type. */
function hasAnswerSchema(api: Row, operation: Row): boolean {
  const answers = Object.entries(readObject(operation, 'responses') ?? {})
  return answers.some(([status, answer]) => {
    const media = /^2..$/.test(status) ? readObject(resolve(api, answer), 'content') : undefined
    return Object.values(media ?? {}).some((one) => {
      const { schema, example, examples } = asObject(one) ?? {}
      return (schema ?? example ?? examples) !== undefined
    })
  })
}

/** Parameters of one place by name: those that are required, and those with an example. */
function pickParameters(
  api: Row,
  parameters: readonly (Row | undefined)[],
  place: string,
): Record<string, unknown> {
  return Object.fromEntries(
    parameters.flatMap((parameter) => {
      const name = parameter?.name
      if (parameter === undefined || parameter.in !== place || typeof name !== 'string') return []
      const schema = resolve(api, parameter.schema) ?? {}
      const example = parameter.example ?? schema.example
      if (example !== undefined) return [[name, example]]
      return parameter.required === true ? [[name, { type: 'string', ...schema }]] : []
    }),
  )
}

/** Follows references within the document. */
function resolve(api: Row, value: unknown): Row | undefined {
  let row = asObject(value)
  for (let hop = 0; hop < MAX_HOPS && typeof row?.$ref === 'string'; hop++) {
    const [root, ...names] = row.$ref.split('/')
    if (root !== '#') return undefined
    row = names.reduce<Row | undefined>(
      (found, name) => readObject(found, name.replaceAll('~1', '/').replaceAll('~0', '~')),
      api,
    )
  }
  return row
}
