import {
  INTERFACE_VERSION,
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
import { parameterExample, parameterSchema } from './parameterSchema.ts'
import { FILES, FORMS, type FormPath, PAGES, type ReadPath } from './paths.ts'
import { MAX_BODY_BYTES } from './readFields.ts'
import tokenExamples from './tokenExamples.json' with { type: 'json' }

type Json = Record<string, unknown>

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
  for (const [path, page] of Object.entries(PAGES)) paths[path] = { get: describeRead(page, 'page') }
  for (const [path, file] of Object.entries(FILES)) paths[path] = { get: describeRead(file, 'files') }
  for (const [path, form] of Object.entries(FORMS)) paths[path] = { ...paths[path], post: describeForm(form) }
  const responses = describeResponses()
  return {
    openapi: '3.0.0',
    info: {
      title: 'Touchstone',
      version: INTERFACE_VERSION,
      description: 'Tells whether an x402 endpoint is safe to pay, before it is paid.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: publicUrl }],
    // No authentication: the 402 challenge says how to pay.
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
    components: { schemas: describeSchemas(paths, responses), responses, parameters: describeParameters() },
  }
}

/**
 * Real answers. `npx vitest run e2e/tokens.test.ts -u` updates those of the token operations,
 * `npx vitest run packages/server/src/site/answerExamples.test.ts -u` the others.
 */
const EXAMPLES: Readonly<Record<string, unknown>> = { ...tokenExamples, ...answerExamples }

const text = { schema: { type: 'string' } }
const response = (name: string) => ({ $ref: `#/components/responses/${name}` })
// The same name may have other bounds in another operation.
const parameterId = (operation: string, name: string) => `${operation}.${name}`

function describeOperation(id: string, operation: Operation, prices: NonNullable<OpenApiOptions['prices']>) {
  const names = Object.keys(operation.query)
  const isPaid = operation.priceUsd !== null
  const schemas = operation.response.map(schemaRef)
  return {
    operationId: id,
    tags: [isPaid ? 'paid' : 'free'],
    summary: operation.summary,
    ...(names.length > 0 && {
      parameters: names.map((name) => ({ $ref: `#/components/parameters/${parameterId(id, name)}` })),
    }),
    ...(isPaid && { 'x-price-usd': prices[id as PaidOperationId] ?? operation.priceUsd }),
    responses: {
      200: {
        description: 'Success.',
        headers: isPaid ? { 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text } : { ETag: text },
        content: {
          'application/json': {
            schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
            ...(Object.hasOwn(EXAMPLES, id) && { example: EXAMPLES[id] }),
          },
        },
      },
      ...(!isPaid && { 304: { description: 'Not modified.' } }),
      ...(names.length > 0 && { 400: response('BadQuery') }),
      ...(isPaid && { 402: response('PaymentRequired') }),
      404: response('NotFound'),
      ...(isPaid && { 409: response('Conflict') }),
      ...('snapshot' in operation && { 410: response('Gone') }),
      429: response('TooManyRequests'),
      500: response('Internal'),
      503: response('Unavailable'),
    },
  }
}

const isBinary = (type: string) => type.endsWith('stream') || type === 'image/png'

/** Describes what a GET reads: a page, a feed, a document or a file. */
function describeRead(read: ReadPath, tag: 'page' | 'files'): Json {
  const { operationId, summary, types, schema, query = {}, segments = {}, success, missing } = read
  const bodyOf = (type: string) => {
    if (!type.endsWith('json') || type.endsWith('ndjson'))
      return { type: 'string', ...(isBinary(type) && { format: 'binary' }) }
    return schema === undefined ? { type: 'object' } : schemaRef(schema)
  }
  const parameters = [...describeSegments(segments), ...Object.entries(query).map(describeParameter)]
  return {
    operationId,
    tags: [tag],
    summary,
    ...(parameters.length > 0 && { parameters }),
    responses: {
      200: {
        description: success ?? 'Success.',
        headers: { ETag: text },
        content: Object.fromEntries(types.map((type) => [type, { schema: bodyOf(type) }])),
      },
      304: { description: 'Not modified.' },
      ...(Object.keys(query).length > 0 && { 400: response('BadQuery') }),
      404: missing ? { description: missing[0], content: { [missing[1]]: text } } : response('NotFound'),
      429: response('TooManyRequests'),
      500: response('Internal'),
      503: response('Unavailable'),
    },
  }
}

const describeSegments = (segments: ReadPath['segments'] = {}) =>
  Object.entries(segments).map(([name, [description, example, pattern]]) => ({
    ...{ name, in: 'path', required: true, description, example },
    schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
  }))

/** Describes a POST. Programs get JSON; a browser is sent on, or shown a page where there is nothing to go on to. */
function describeForm({ operationId, summary, segments, fields, isOfKnown, ...answered }: FormPath): Json {
  const all = Object.entries(fields)
  const required = all.filter(([, field]) => field.required)
  const form = {
    schema: {
      type: 'object',
      required: required.map(([name]) => name),
      properties: Object.fromEntries(
        all.map(([name, { description }]) => [name, { type: 'string', description }]),
      ),
    },
    example: Object.fromEntries(required.map(([name, { example }]) => [name, example])),
  }
  const { answers, schema, example, seeOther } = answered
  const json = { 'application/json': { schema: schemaRef(schema), example } }
  const successes = Object.entries(answers).map(([status, description]) => [
    status,
    { description, content: seeOther === undefined ? { ...json, 'text/html': text } : json },
  ])
  return {
    operationId,
    tags: ['form'],
    summary,
    ...(segments && { parameters: describeSegments(segments) }),
    requestBody: {
      required: true,
      description: `At most ${MAX_BODY_BYTES} bytes.`,
      content: { 'application/x-www-form-urlencoded': form, 'application/json': form },
    },
    responses: {
      ...Object.fromEntries(successes),
      ...(seeOther !== undefined && {
        303: {
          description: answers[303] ?? `A browser is sent on: ${seeOther}.`,
          headers: { Location: text },
          content: { 'text/plain': text, ...(answers[303] !== undefined && json) },
        },
      }),
      400: response('BadFields'),
      ...(isOfKnown && { 404: response('NotFound') }),
      413: response('BodyTooLarge'),
      415: response('UnsupportedMediaType'),
      429: response('TooManyRequests'),
      500: response('Internal'),
      503: response('Unavailable'),
    },
  }
}

const seconds = { description: 'Seconds to wait.', schema: { type: 'integer' } }

function describeResponses(): Json {
  const header = (description: string, example: string) => ({
    description,
    schema: { type: 'string', example },
  })
  // Browsers, which prefer `text/html`, get a page for every error.
  const problem = (description: string, headers?: Json) => ({
    description,
    ...(headers && { headers }),
    content: { 'application/problem+json': { schema: schemaRef(ProblemSchema) }, 'text/html': text },
  })
  const wait = { 'Retry-After': seconds }
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
      RateLimit: header(
        'What is left: r calls for t seconds (draft-ietf-httpapi-ratelimit-headers).',
        '"default";r=0;t=42',
      ),
      'RateLimit-Policy': header('The limit: q calls in w seconds.', '"default";q=600;w=60'),
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

const describeParameter = ([name, parameter]: [string, QueryParameter]) => ({
  ...{ name, in: 'query', description: parameter.description, required: parameter.required ?? false },
  ...{ schema: parameterSchema(parameter), example: parameterExample(parameter) },
})

function describeParameters(): Json {
  const parameters = Object.entries<Operation>(OPERATIONS).flatMap(([id, { query }]) =>
    Object.entries(query).map((entry) => [parameterId(id, entry[0]), describeParameter(entry)]),
  )
  return Object.fromEntries(parameters)
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
