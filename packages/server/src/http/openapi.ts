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
import { toStrictSchema } from './strictSchema.ts'
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
    ],
    paths,
    components: {
      schemas: componentSchemas(),
      responses: componentResponses(),
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
      503: { $ref: '#/components/responses/Unavailable' },
    },
  }
}

/** Real paid answers; `npx vitest run e2e/tokens.test.ts -u` updates them. */
const EXAMPLES: Readonly<Record<string, unknown>> = tokenExamples

const text = { schema: { type: 'string' } }

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

function componentResponses(): Json {
  const problem = (description: string, retry = false) => ({
    description,
    ...(retry && { headers: { 'Retry-After': { schema: { type: 'integer' } } } }),
    content: { 'application/problem+json': { schema: schemaRef(ProblemSchema) } },
  })
  return {
    BadQuery: problem('The query breaks a rule; nothing was charged.'),
    NotFound: problem('There is no such thing; nothing was charged.'),
    Conflict: problem('The same payment is being worked on; try again with the same payment.', true),
    Gone: problem('The answer was paid for, and is no longer kept.'),
    TooManyRequests: problem('Too many calls.', true),
    Unavailable: problem('Not available at present; `receipt` names a payment whose outcome is open.', true),
    PaymentRequired: {
      description:
        'Payment is required. The header has the terms of x402 v2, the body those of v1. After a failed settlement, `PAYMENT-RESPONSE` or, in v1, `X-PAYMENT-RESPONSE` has the reason.',
      headers: { 'PAYMENT-REQUIRED': text, 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text },
      content: { 'application/json': { schema: schemaRef(PaymentRequiredSchema) } },
    },
  }
}

function componentParameters(): Json {
  const parameters: Json = {}
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    for (const [name, parameter] of Object.entries(operation.query)) {
      const { description, required = false } = parameter
      const schema = parameterSchema(parameter)
      parameters[parameterId(id, name)] = { name, in: 'query', description, required, schema }
    }
  }
  return parameters
}

// The same name may have other bounds in another operation.
function parameterId(id: string, name: string): string {
  return `${id}.${name}`
}

/** Returns the JSON Schema of a query parameter, in the OpenAPI 3.0 dialect. */
export function parameterSchema(parameter: QueryParameter): z.core.JSONSchema.JSONSchema {
  switch (parameter.kind) {
    case 'url':
      return { type: 'string', format: 'uri', maxLength: 2048, example: parameter.example }
    case 'integer':
      return {
        type: 'integer',
        minimum: parameter.min,
        // A clamped parameter may exceed its maximum.
        ...(!parameter.clamp && { maximum: parameter.max }),
        default: parameter.default,
      }
    case 'flag':
      return { type: 'string', enum: ['0', '1'] }
    case 'address':
      return { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }
    case 'decimal':
      return { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?$' }
    case 'choice':
      return { type: 'string', enum: [...parameter.choices], default: parameter.default }
  }
}

/** Returns the schemas that the contract refers to, by name. */
function componentSchemas(): Json {
  const { schemas } = z.toJSONSchema(SCHEMA_NAMES, {
    metadata: SCHEMA_NAMES,
    target: 'openapi-3.0',
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
  })
  const reached = new Map<string, unknown>()
  const roots = [
    ProblemSchema,
    PaymentRequiredSchema,
    ...Object.values<Operation>(OPERATIONS).flatMap((operation) => [...operation.response]),
  ]
  const visit = (id: string) => {
    const schema = schemas[id]
    if (schema === undefined || reached.has(id)) return
    const { $id: _, ...rest } = schema
    reached.set(id, rest)
    for (const [, next] of JSON.stringify(rest).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      visit(next ?? '')
  }
  for (const root of roots) visit(schemaId(root))
  return Object.fromEntries(
    [...reached].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, schema]) => [id, toStrictSchema(schema)]),
  )
}

const schemaRef = (schema: z.ZodMiniType) => ({ $ref: `#/components/schemas/${schemaId(schema)}` })

function schemaId(schema: z.ZodMiniType): string {
  const id = SCHEMA_NAMES.get(schema)?.id
  if (id === undefined) throw new Error('a schema of the contract has no name')
  return id
}
