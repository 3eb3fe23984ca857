import {
  INTERFACE_VERSION,
  OPERATIONS,
  type Operation,
  type PaidOperationId,
  PaymentRequiredSchema,
  ProblemSchema,
  SCHEMA_NAMES,
} from '@touchstone402/shared'
import * as z from 'zod/mini'
import answerExamples from './answerExamples.json' with { type: 'json' }
import { describeOtherPaths } from './describeOtherPaths.ts'
import { addPostPaths } from './describePostPaths.ts'
import { describeFiles } from './openapiFiles.ts'
import { parameterExample, parameterSchema } from './schemas/parameterSchema.ts'
import tokenExamples from './tokenExamples.json' with { type: 'json' }

type Json = Record<string, unknown>

/** Settings of one deployment. */
export type OpenApiOptions = {
  /** @default '/' */
  publicUrl?: string
  /** Dollars as decimal strings. @default the contract's */
  prices?: Readonly<Partial<Record<PaidOperationId, string>>>
}

/** Builds the OpenAPI 3.0.0 document of the contract. */
export function buildOpenApi(options: OpenApiOptions = {}): Json {
  const paths: Json = {}
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    paths[operation.path] = { get: describeOperation(id, operation, options) }
  }
  Object.assign(paths, describeOtherPaths(schemaRef), describeFiles())
  const all = addPostPaths(paths, schemaRef)
  const responses = componentResponses()
  return {
    openapi: '3.0.0',
    info: {
      title: 'Touchstone',
      version: INTERFACE_VERSION,
      description: 'Tells whether an x402 endpoint is safe to pay, before it is paid.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: options.publicUrl ?? '/' }],
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
    paths: all,
    components: {
      schemas: componentSchemas(all, responses),
      responses,
      parameters: componentParameters(),
    },
  }
}

function describeOperation(id: string, operation: Operation, { prices = {} }: OpenApiOptions): Json {
  const parameters = Object.keys(operation.query).map((name) => ({
    $ref: `#/components/parameters/${parameterId(id, name)}`,
  }))
  const isPaid = operation.priceUsd !== null
  return {
    operationId: id,
    tags: [isPaid ? 'paid' : 'free'],
    summary: operation.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(isPaid && { 'x-price-usd': prices[id as PaidOperationId] ?? operation.priceUsd }),
    responses: {
      200: success(id, operation, isPaid),
      ...(!isPaid && { 304: { description: 'Not modified.' } }),
      ...(parameters.length > 0 && { 400: { $ref: '#/components/responses/BadQuery' } }),
      ...(isPaid && { 402: { $ref: '#/components/responses/PaymentRequired' } }),
      404: { $ref: '#/components/responses/NotFound' },
      ...(isPaid && { 409: { $ref: '#/components/responses/Conflict' } }),
      ...('snapshot' in operation && { 410: { $ref: '#/components/responses/Gone' } }),
      429: { $ref: '#/components/responses/TooManyRequests' },
      500: { $ref: '#/components/responses/Internal' },
      503: { $ref: '#/components/responses/Unavailable' },
    },
  }
}

/**
 * Real answers. `npx vitest run e2e/tokens.test.ts -u` updates those of the token operations,
 * `npx vitest run packages/server/src/site/docs/answerExamples.test.ts -u` the others.
 */
const EXAMPLES: Readonly<Record<string, unknown>> = { ...tokenExamples, ...answerExamples }

const text = { schema: { type: 'string' } }
const seconds = { description: 'Seconds to wait.', schema: { type: 'integer' } }

function success(id: string, operation: Operation, isPaid: boolean): Json {
  const schemas = operation.response.map(schemaRef)
  return {
    description: 'Success.',
    headers: isPaid ? { 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text } : { ETag: text },
    content: {
      'application/json': {
        schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
        ...(Object.hasOwn(EXAMPLES, id) && { example: EXAMPLES[id] }),
      },
    },
  }
}

/** Browsers, which prefer `text/html`, get a page for every error. */
const ERROR_PAGE = { 'text/html': text }

function componentResponses(): Json {
  const problem = (description: string, retry = false) => ({
    description,
    ...(retry && { headers: { 'Retry-After': seconds } }),
    content: { 'application/problem+json': { schema: schemaRef(ProblemSchema) }, ...ERROR_PAGE },
  })
  return {
    BadQuery: problem('The query breaks a rule; nothing was charged.'),
    BadFields: problem('A field breaks a rule, or the body cannot be read; nothing was done.'),
    BodyTooLarge: problem('The request body is too large.'),
    UnsupportedMediaType: problem('The request body is neither a form nor JSON.'),
    NotFound: problem('There is no such thing; nothing was charged.'),
    Conflict: problem('The same payment is being worked on; try again with the same payment.', true),
    Gone: problem('The answer was paid for, and is no longer kept.'),
    TooManyRequests: {
      ...problem('Too many calls.'),
      headers: {
        'Retry-After': seconds,
        RateLimit: {
          description: 'What is left: r calls for t seconds (draft-ietf-httpapi-ratelimit-headers).',
          schema: { type: 'string', example: '"default";r=0;t=42' },
        },
        'RateLimit-Policy': {
          description: 'The limit: q calls in w seconds.',
          schema: { type: 'string', example: '"default";q=600;w=60' },
        },
      },
    },
    Internal: problem('A fault on our side; nothing is charged.'),
    Unavailable: problem('Not available at present; `receipt` names a payment whose outcome is open.', true),
    PaymentRequired: {
      description:
        'Payment is required. The header has the terms of x402 v2, the body those of v1. After a failed settlement, `PAYMENT-RESPONSE` or, in v1, `X-PAYMENT-RESPONSE` has the reason.',
      headers: { 'PAYMENT-REQUIRED': text, 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text },
      content: { 'application/json': { schema: schemaRef(PaymentRequiredSchema) }, ...ERROR_PAGE },
    },
  }
}

function componentParameters(): Json {
  const parameters: Json = {}
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    for (const [name, parameter] of Object.entries(operation.query)) {
      const { description, required = false } = parameter
      const schema = parameterSchema(parameter)
      const example = parameterExample(parameter)
      parameters[parameterId(id, name)] = { name, in: 'query', description, required, schema, example }
    }
  }
  return parameters
}

// The same name may have other bounds in another operation.
function parameterId(id: string, name: string): string {
  return `${id}.${name}`
}

/** Returns the schemas that the paths refer to, by name. */
function componentSchemas(paths: Json, responses: Json): Json {
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

const schemaRef = (schema: z.ZodMiniType) => ({ $ref: `#/components/schemas/${schemaId(schema)}` })

function schemaId(schema: z.ZodMiniType): string {
  const id = SCHEMA_NAMES.get(schema)?.id
  if (id === undefined) throw new Error('a schema of the contract has no name')
  return id
}
