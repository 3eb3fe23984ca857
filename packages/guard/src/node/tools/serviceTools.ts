import { isRecord, OPERATIONS } from '@touchstone402/shared'
import * as z from 'zod/mini'
import { paymentOf } from '../../paymentOf.ts'
import type { FetchLike } from '../../types.ts'
import {
  createTouchstoneClient,
  type TouchstoneClient,
  TouchstoneClientError,
} from '../../verdicts/client/createTouchstoneClient.ts'
import { describeCall, describeError } from './callEndpoint.ts'
import {
  NO_WALLET,
  type ObjectSchema,
  READS,
  SPENDS,
  type Tool,
  type ToolContext,
  ToolError,
  toFencedResult,
} from './tool.ts'

/** Entries in an answer unless the model asks for more, which fit its context. */
const ENTRIES = 20
const MAX_ENTRIES = 100

const { incidents, changes, status, trust } = OPERATIONS
const [Incidents] = incidents.response
const [Changes] = changes.response
const [Status] = status.response
const [, Catalog] = trust.response
const Stats = z.pick(Status, { asOf: true, ecosystem: true, catalogAudit: true, security: true })
const Leaders = z.pick(Status, { asOf: true, topHealthy: true, topProviders: true })
const Working = z.pick(Catalog, { asOf: true, services: true })

const limit = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_ENTRIES,
  default: ENTRIES,
  description: 'Maximum number of entries.',
}
const { min: minimum, max: maximum, description } = incidents.query.days
const days = { type: 'integer', minimum, maximum, description }
const ofFeed: ObjectSchema = { type: 'object', properties: { days, limit } }
const nothing: ObjectSchema = { type: 'object', properties: {} }

/** Free tools: name, title, description, the operation, and the fields of its answer that are kept. */
const FREE = [
  ['x402_incidents', 'Incidents of x402 services', incidents.summary, 'incidents', Incidents],
  ['x402_changes', 'Changes of x402 services', changes.summary, 'changes', Changes],
  [
    'x402_ecosystem_stats',
    'State of the x402 ecosystem',
    'Number of live x402 services, directory accuracy and detected risks.',
    'status',
    Stats,
  ],
  [
    'x402_leaderboard',
    'Best x402 endpoints and providers',
    'The healthiest x402 endpoints and the best providers.',
    'status',
    Leaders,
  ],
] as const

/** Tools that read the trust service, by its contract. */
export const SERVICE_TOOLS: readonly Tool[] = [
  ...FREE.map(([name, title, description, operation, schema]): Tool => {
    const isFeed = operation !== 'status'
    return {
      name,
      title,
      description: `${description} Free.`,
      hints: READS,
      inputSchema: isFeed ? ofFeed : nothing,
      outputSchema: describe(schema),
      run(input, context) {
        const query = { limit: ENTRIES, ...input }
        return ask(context, (service) => (isFeed ? service[operation](query) : service.status()), schema)
      },
    }
  }),
  {
    name: 'x402_working_services',
    title: 'Working x402 services',
    description: `Working x402 services with endpoints and prices in dollars, best first. Costs $${trust.priceUsd} of the budget by default.`,
    hints: SPENDS,
    inputSchema: { type: 'object', properties: { limit } },
    outputSchema: describe(Working),
    run({ limit: entries = ENTRIES }, context) {
      const readCatalog = async (service: TouchstoneClient) => {
        const answer = await service.trust()
        if (!('services' in answer)) throw new ToolError('The service sent no catalog.')
        return { ...answer, services: answer.services.slice(0, Number(entries)) }
      }
      return ask(context, readCatalog, Working)
    },
  },
]

/** Asks the service and keeps the fields of the schema. */
async function ask(
  { guard, serviceUrl = guard.serviceUrl, serviceFetch = globalThis.fetch, pay = null }: ToolContext,
  call: (service: TouchstoneClient) => Promise<unknown>,
  schema: z.ZodMiniType<Record<string, unknown>>,
) {
  if (serviceUrl === null) throw new ToolError('There is no service.')
  let paid = ''
  const buy: FetchLike = async (input, init) => {
    if (pay === null) throw new ToolError(NO_WALLET)
    const response = await pay(input, init).catch((error: unknown) => {
      throw new ToolError(describeCall(describeError(error)))
    })
    const payment = paymentOf(response)
    if (payment !== null) paid = ` Paid $${payment.intent.amountUsd}, payment ${payment.paymentId}.`
    return response
  }
  const service = createTouchstoneClient({ url: serviceUrl, fetch: serviceFetch, pay: buy })
  const answer = await call(service).catch((error: unknown) => {
    // The message is the client's own; words of the service stay in the error.
    throw error instanceof TouchstoneClientError ? new ToolError(`${error.message}${paid}`) : error
  })
  return toFencedResult(schema.parse(answer))
}

/** Returns the JSON Schema of an answer, in the dialect that MCP clients validate with. */
function describe(schema: z.ZodMiniType): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  if (!isRecord(json.properties) || json.type !== 'object') throw new Error('an answer must be an object')
  return json as ObjectSchema
}
