import {
  BASE_USDC,
  encodeCursor,
  INTERFACE_VERSION,
  MAX_CURSOR_LENGTH,
  OPERATIONS,
  type Operation,
  type PaidOperationId,
  PaymentRequiredSchema,
  ProblemSchema,
  type QueryParameter,
  SCHEMA_NAMES,
} from '@touchstone402/shared'
import * as z from 'zod/mini'
import answerExamples from './answerExamples.json' with { type: 'json' }
import { FILES, FORMS, type FormPath, PAGES, type ReadPath, segmentsOf } from './paths.ts'
import { MAX_BODY_BYTES } from './readFields.ts'
import tokenExamples from './tokenExamples.json' with { type: 'json' }

type Json = Record<string, unknown>

/** Both halves of the service in a sentence each. */
export const DESCRIPTION =
  'Tells whether an x402 endpoint is safe to pay, before it is paid: an independent audit of x402 endpoints. Also sells intelligence on ERC-20 tokens on Base: activity, large transfers, net flow by address and momentum.'

/** Settings of one deployment. */
export type OpenApiOptions = {
  /** @default '/' */
  publicUrl?: string
  /** Dollars as decimal strings. @default the contract's */
  prices?: Readonly<Partial<Record<PaidOperationId, string>>>
}

/** Builds the OpenAPI 3.0.0 document: the operations of the contract, and every path beside them. */
export function buildOpenApi({ publicUrl = '/', prices = {} }: OpenApiOptions = {}): Json {
  const paths: Record<string, { get?: Json; post?: Json }> = {}
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS))
    paths[operation.path] = { get: describeOperation(id, operation, prices) }
  for (const [path, page] of Object.entries(PAGES)) paths[path] = { get: describeRead(path, page, 'page') }
  for (const [path, file] of Object.entries(FILES)) paths[path] = { get: describeRead(path, file, 'files') }
  for (const [path, form] of Object.entries(FORMS))
    paths[path] = { ...paths[path], post: describeForm(path, form) }
  const responses = describeResponses()
  return {
    openapi: '3.0.0',
    info: {
      title: 'Touchstone',
      version: INTERFACE_VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: publicUrl }],
    // No authentication: the 402 challenge states how to pay.
    security: [],
    tags: [
      { name: 'free', description: 'Free of charge.' },
      { name: 'paid', description: 'Paid a call through x402, in USDC on Base.' },
      { name: 'files', description: 'Files of the map and the log, free of charge, for mirrors and proofs.' },
      {
        name: 'page',
        description:
          'Pages, feeds and documents, free of charge. HTML by default; JSON, where a page has it, by Accept or at the same path with .json, of the home page at /index.json.',
      },
      { name: 'form', description: 'What changes something: a POST of a form or of JSON, free of charge.' },
    ],
    paths,
    components: { schemas: describeSchemas(paths, responses), responses },
  }
}

/**
 * Real answers. `npx vitest run e2e/tokenExamples.release.test.ts -u` updates those of the token operations,
 * `npx vitest run packages/server/src/site/answerExamples.test.ts -u` the others.
 */
const EXAMPLES: Readonly<Record<string, unknown>> = { ...tokenExamples, ...answerExamples }

const text = { schema: { type: 'string' } }
const response = (name: string) => ({ $ref: `#/components/responses/${name}` })
const FAILURES = { 429: response('TooManyRequests'), 500: response('Internal'), 503: response('Unavailable') }

function describeOperation(id: string, operation: Operation, prices: NonNullable<OpenApiOptions['prices']>) {
  const { path, summary, query, priceUsd, response: schemas } = operation
  const isPaid = priceUsd !== null
  const refs = schemas.map(schemaRef)
  const described = describeGet({ path, operationId: id, summary, query }, isPaid ? 'paid' : 'free', {
    'application/json': {
      schema: refs.length === 1 ? refs[0] : { anyOf: refs },
      ...(Object.hasOwn(EXAMPLES, id) && { example: EXAMPLES[id] }),
    },
  })
  if (!isPaid) return described
  const { 200: success, 304: _, ...failures } = described.responses
  return {
    ...described,
    'x-price-usd': prices[id as PaidOperationId] ?? priceUsd,
    responses: {
      200: { ...success, headers: { 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text } },
      ...failures,
      402: response('PaymentRequired'),
      409: response('Conflict'),
      ...('snapshot' in operation && { 410: response('Gone') }),
    },
  }
}

/** Describes a page, a feed, a document or a file. */
function describeRead(path: string, { types, schema, ...read }: ReadPath, tag: 'page' | 'files') {
  const schemaOf = (type: string) => {
    if (type === 'application/json') return schema === undefined ? { type: 'object' } : schemaRef(schema)
    return type === 'image/png' || type.endsWith('stream')
      ? { type: 'string', format: 'binary' }
      : text.schema
  }
  const content = Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type) }]))
  return describeGet({ path, ...read }, tag, content)
}

type Get = Pick<ReadPath, 'operationId' | 'summary' | 'query' | 'example'> & { readonly path: string }

function describeGet({ path, operationId, summary, query = {}, example }: Get, tag: string, content: Json) {
  const parameters = [...describeSegments(path, example), ...Object.entries(query).map(describeParameter)]
  return {
    operationId,
    tags: [tag],
    summary,
    ...(parameters.length > 0 && { parameters }),
    responses: {
      200: { description: 'Success.', headers: { ETag: text } as Json, content },
      304: { description: 'Not modified.' },
      ...(Object.keys(query).length > 0 && { 400: response('BadQuery') }),
      404: response('NotFound'),
      ...FAILURES,
    },
  }
}

const describeSegments = (path: string, example?: string) =>
  segmentsOf(path, example).map(({ pattern, ...segment }) => ({
    ...segment,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
  }))

/** Describes a POST. Programs get JSON; a browser is sent on, or shown a page where there is nothing to go on to. */
function describeForm(path: string, { operationId, summary, fields, success, schema, example }: FormPath) {
  const required = Object.keys(fields).filter((name) => fields[name]?.required)
  const describeField = ([name, { description }]: [string, FormPath['fields'][string]]) =>
    [name, { type: 'string', description }] as const
  const form = {
    schema: {
      type: 'object',
      required,
      properties: Object.fromEntries(Object.entries(fields).map(describeField)),
    },
    example: Object.fromEntries(required.map((name) => [name, fields[name]?.example])),
  }
  const [status, description] = success
  const segments = describeSegments(path)
  return {
    operationId,
    tags: ['form'],
    summary,
    ...(segments.length > 0 && { parameters: segments }),
    requestBody: {
      required: true,
      description: `At most ${MAX_BODY_BYTES} bytes.`,
      content: { 'application/x-www-form-urlencoded': form, 'application/json': form },
    },
    responses: {
      [status]: {
        description,
        ...(status === 303 && { headers: { Location: text } }),
        content: {
          'application/json': { schema: schemaRef(schema), example },
          [status === 303 ? 'text/plain' : 'text/html']: text,
        },
      },
      400: response('BadFields'),
      ...(segments.length > 0 && { 404: response('NotFound') }),
      413: response('BodyTooLarge'),
      415: response('UnsupportedMediaType'),
      ...FAILURES,
    },
  }
}

function describeResponses(): Json {
  const header = (description: string, schema: Json) => ({ description, schema })
  // Browsers, which prefer `text/html`, get a page for every error.
  const problem = (description: string, headers?: Json) => ({
    description,
    ...(headers && { headers }),
    content: { 'application/problem+json': { schema: schemaRef(ProblemSchema) }, 'text/html': text },
  })
  const wait = { 'Retry-After': header('Seconds to wait.', { type: 'integer' }) }
  return {
    BadQuery: problem('The query breaks a rule; nothing was charged.'),
    BadFields: problem('A field breaks a rule, or the body cannot be read; nothing was done.'),
    BodyTooLarge: problem('The request body is too large.'),
    UnsupportedMediaType: problem('The request body is neither a form nor JSON.'),
    NotFound: problem('There is no such thing; nothing was charged.'),
    Conflict: problem('The same payment is being worked on; try again with the same payment.', wait),
    Gone: problem('The answer was paid for, and is no longer kept.'),
    TooManyRequests: problem('Too many calls.', {
      ...wait,
      RateLimit: header('What is left: r calls for t seconds (draft-ietf-httpapi-ratelimit-headers).', {
        type: 'string',
        example: '"default";r=0;t=42',
      }),
      'RateLimit-Policy': header('The limit: q calls in w seconds.', {
        type: 'string',
        example: '"default";q=600;w=60',
      }),
    }),
    Internal: problem('A fault on our side; nothing is charged.'),
    Unavailable: problem('Not available at present; `receipt` names a payment whose outcome is open.', wait),
    PaymentRequired: {
      description:
        'Payment is required. The header has the terms of x402 v2, the body those of v1. After a failed settlement, `PAYMENT-RESPONSE` or, in v1, `X-PAYMENT-RESPONSE` has the reason.',
      headers: { 'PAYMENT-REQUIRED': text, 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text },
      content: { 'application/json': { schema: schemaRef(PaymentRequiredSchema) }, 'text/html': text },
    },
  }
}

const describeParameter = ([name, parameter]: [string, QueryParameter]) => {
  const { description, required = false } = parameter
  const { example, ...schema } = describeValue(parameter)
  return { name, in: 'query', description, required, schema, example }
}

/** Returns the JSON Schema of a query parameter in the OpenAPI 3.0 dialect, with an example. */
export function describeValue(parameter: QueryParameter): Json & { readonly example: string | number } {
  const type = 'string'
  switch (parameter.kind) {
    case 'url':
      return { type, format: 'uri', maxLength: 2048, example: parameter.example }
    case 'integer': {
      // A clamped parameter may exceed its maximum.
      const { min: minimum, max: maximum, clamp, default: usual } = parameter
      return { type: 'integer', minimum, ...(!clamp && { maximum }), default: usual, example: usual }
    }
    case 'flag':
      return { type, enum: ['0', '1'], example: '1' }
    case 'address':
      return { type, pattern: '^0x[0-9a-fA-F]{40}$', example: BASE_USDC }
    case 'decimal':
      return { type, pattern: '^[0-9]+(\\.[0-9]+)?$', example: '1000' }
    case 'package':
      return { type, maxLength: 214, example: 'weather-mcp' }
    case 'packages':
      return { type, maxLength: 10_750, example: 'weather-mcp' }
    case 'cursor': {
      const example = encodeCursor({ at: Date.parse('2026-01-31T12:00:00Z'), id: 'inc_1' })
      return { type, pattern: '^[A-Za-z0-9_-]+$', maxLength: MAX_CURSOR_LENGTH, example }
    }
    case 'time':
      return { type, maxLength: 30, example: '2026-01-31T12:00:00Z' }
    case 'choice':
      return { type, enum: [...parameter.choices], default: parameter.default, example: parameter.default }
  }
}

/** Returns the schemas that the paths refer to, by name. */
function describeSchemas(paths: Json, responses: Json): Json {
  const { schemas } = z.toJSONSchema(SCHEMA_NAMES, {
    metadata: SCHEMA_NAMES,
    target: 'openapi-3.0',
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => narrowNullable(jsonSchema),
  })
  const reached: Json = {}
  const visit = (part: unknown) => {
    for (const [, id = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (Object.hasOwn(reached, id)) continue
      const { $id: _, ...schema } = schemas[id] ?? {}
      reached[id] = schema
      visit(schema)
    }
  }
  visit([paths, responses])
  return Object.fromEntries(Object.entries(reached).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Rewrites a nullable reference and a nullable enum: `nullable` widens only the `type` beside it.
 * Source: OpenAPI proposal 2019-10-31, "Clarify Semantics of nullable in OpenAPI 3.0".
 */
function narrowNullable(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.nullable !== true) return
  if (schema.enum !== undefined && !schema.enum.includes(null)) schema.enum = [...schema.enum, null]
  if (schema.allOf?.length !== 1) return
  schema.anyOf = [...schema.allOf, { type: 'object', nullable: true, enum: [null] }]
  delete schema.allOf
  delete schema.nullable
}

function schemaRef(schema: z.ZodMiniType): Json {
  const id = SCHEMA_NAMES.get(schema)?.id
  if (id === undefined) throw new Error('a schema of the contract has no name')
  return { $ref: `#/components/schemas/${id}` }
}
