import { isRecord } from '@touchstone402/shared'
import * as z from 'zod/mini'
import { formatUsd } from '../../formatUsd.ts'
import { paymentOf } from '../../paymentOf.ts'
import type { FetchLike } from '../../types.ts'
import {
  createTouchstoneClient,
  type TouchstoneClient,
  TouchstoneClientError,
} from '../../verdicts/client/createTouchstoneClient.ts'
import { describeCall, describeError } from './callEndpoint.ts'
import { NO_WALLET, type ObjectSchema, type ToolContext, ToolError, toFencedResult } from './tool.ts'

/** Entries in an answer unless the model asks for more, which fit its context. */
export const ENTRIES = 20
const MAX_ENTRIES = 100

/** Input of the maximum number of entries. */
export const limit = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_ENTRIES,
  default: ENTRIES,
  description: 'Maximum number of entries.',
}

/** Asks the service, which may be paid, and keeps the fields of the schema. */
export async function askService(
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
    if (payment !== null)
      paid = ` ${payment.isRepeat ? 'Paid before' : 'Paid'}: ${formatUsd(payment.intent.amountUsd)}, payment ${payment.paymentId}.`
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
export function describeAnswer(schema: z.ZodMiniType): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  if (!isRecord(json.properties) || json.type !== 'object') throw new Error('an answer must be an object')
  return json as ObjectSchema
}
