import { asObject } from '@touchstone402/shared'
import type { ListedRow } from '../facts/facts.ts'
import { type Row, readList, readObject, readText } from '../lib/fields.ts'
import { isFreeOfCharge, readClaims, refuseUnpayable } from './claims.ts'
import type { DirectoryPage } from './directory.ts'
import { resolveOwn } from './hostDocuments.ts'
import { firstExample, type Parameter, sampleParameters } from './parameters.ts'
import { MAX_ENTRIES, mapPage } from './readPages.ts'
import { SkippedRowError, toRow } from './toRow.ts'
import { type Steps, takeStep } from './usableSample.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
/** Fields of an operation that hold its price and terms. */
const PAYMENT_FIELDS = ['x-payment-info', 'x-x402']
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
 * Reads the paid operations of an OpenAPI document: those with {@link PAYMENT_FIELDS} or a 402 response. Parameters and bodies
 * are sampled from their examples; without an example they are invented, and the input does not count as declared.
 */
export function readOpenApi(directory: string, origin: string, document: unknown): DirectoryPage {
  const api = { root: asObject(document) ?? {}, steps: { left: MAX_STEPS } }
  const paths = readObject(api.root, 'paths') ?? {}
  const operations = Object.entries(paths).flatMap(([path, value]) => {
    const item = asObject(value)
    const own = METHODS.flatMap((method): Operation[] => {
      const operation = readObject(item, method)
      return item !== undefined && operation !== undefined && isPaid(operation)
        ? [{ path, method, item, operation }]
        : []
    })
    // Of several operations of a path the first is probed.
    return own.toSorted((a, b) => Number(isPriced(b.operation)) - Number(isPriced(a.operation)))
  })
  const base = readBase(api.root, origin)
  return mapPage(operations, (operation) => mapOperation(directory, base, api, operation), MAX_ENTRIES)
}

const isPriced = (operation: Row) => PAYMENT_FIELDS.some((name) => operation[name] !== undefined)

const isPaid = (operation: Row) =>
  isPriced(operation) || readObject(operation, 'responses')?.['402'] !== undefined

const readPayment = (operation: Row) => readObject(operation, ...PAYMENT_FIELDS)

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
  const payment = readPayment(operation)
  if (payment !== undefined) refuseUnpayable(payment)
  const terms = readList(payment, 'accepts') ?? (payment === undefined ? [] : [payment])
  if (isFreeOfCharge(terms)) throw new SkippedRowError('free')
  const declared = [...(readList(item, 'parameters') ?? []), ...(readList(operation, 'parameters') ?? [])]
  const parameters = declared.flatMap((one) => readParameter(api, resolve(api, one)) ?? [])
  const media = readObject(readObject(resolve(api, operation.requestBody), 'content'), 'application/json')
  const schema = resolve(api, media?.schema)
  const example = asObject(firstExample(media)) ?? asObject(firstExample(schema)) ?? {}
  return toRow({
    directory,
    listedUrl: resolveOwn(base, base + path),
    method: method.toUpperCase(),
    // Samples are checked against their schemas.
    input: sampleParameters(parameters, method, media && { schema, example }, api.steps),
    declaresOutput: hasAnswerSchema(api, operation),
    title: readText(operation, 'summary', 'operationId', 'description'),
    category: readText({ tag: readList(operation, 'tags')?.[0] }, 'tag'),
    claims: readClaims(terms).claims,
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

/** Reads a parameter of a query or a path. Optional ones are sent only if they have an example. */
function readParameter(api: Api, parameter: Row | undefined): Parameter | undefined {
  const { name, in: place, required } = parameter ?? {}
  if (typeof name !== 'string' || (place !== 'query' && place !== 'path')) return undefined
  const schema: Row = { type: 'string', ...resolve(api, parameter?.schema) }
  const example = firstExample(parameter) ?? firstExample(schema)
  return { name, place, isNeeded: required === true, schema, example }
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
