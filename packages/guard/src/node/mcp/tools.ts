import { isRecord } from '@touchstone402/shared'
import type { Guard } from '../../seats/createGuard.ts'
import type { FetchLike } from '../../types.ts'
import { createServiceReader, ServiceError } from '../../verdicts/serviceApi.ts'
import { CHECK_ENDPOINT, checkEndpoint } from '../agentTools/checkEndpoint.ts'
import { callGuarded, GUARDED_FETCH, payFor } from '../agentTools/guardedFetchTool.ts'

/**
 * Dependencies of the MCP tools.
 * @example
 * const context: ToolContext = { guard, serviceUrl: 'https://touchstone.example', serviceFetch: fetch, pay: null }
 */
export type ToolContext = {
  guard: Guard
  /** Base URL of the service. */
  serviceUrl: string
  /** Sends free requests to the service. */
  serviceFetch: FetchLike
  /** Pays endpoints within the policy; null without a wallet. */
  pay: FetchLike | null
}

/** One tool of the MCP server. */
export type Tool = {
  name: string
  description: string
  inputSchema: {
    type: 'object'
    properties: Readonly<Record<string, object>>
    required?: readonly string[]
  }
  run(input: Input, context: ToolContext): Promise<string>
}

type Input = Readonly<Record<string, unknown>>

const FREE_TIMEOUT_MS = 20_000
const PAID_TIMEOUT_MS = 120_000

const days = { type: 'integer', minimum: 1, maximum: 365, description: 'How many days to look back.' }
const limit = { type: 'integer', minimum: 1, maximum: 100, description: 'Maximum number of entries.' }
const nothing = { type: 'object', properties: {} } as const

/** Tools of the MCP server. Models read the descriptions, so each names its price. */
export const TOOLS: readonly Tool[] = [
  { ...CHECK_ENDPOINT, run: (input, { guard }) => checkEndpoint(guard, input) },
  {
    name: 'x402_incidents',
    description: 'Security incidents of x402 services with on-chain proof, newest first. Free.',
    inputSchema: { type: 'object', properties: { days, limit } },
    run: (input, context) => readFeed(context, '/incidents.json', input),
  },
  {
    name: 'x402_changes',
    description: 'Recent changes of x402 services: gone dark, receiver changed, price jumped, new. Free.',
    inputSchema: { type: 'object', properties: { days, limit } },
    run: (input, context) => readFeed(context, '/changes.json', input),
  },
  {
    name: 'x402_ecosystem_stats',
    description: 'Number of live x402 services, directory accuracy and detected risks. Free.',
    inputSchema: nothing,
    run: (_, context) => readStatus(context, ['asOf', 'ecosystem', 'catalogAudit', 'security']),
  },
  {
    name: 'x402_leaderboard',
    description: 'The healthiest x402 endpoints and the best providers. Free.',
    inputSchema: nothing,
    run: (_, context) => readStatus(context, ['asOf', 'topHealthy', 'topProviders']),
  },
  {
    name: 'x402_working_services',
    description:
      'Working x402 services with endpoints and prices, best first. Costs about $0.005 of the budget.',
    inputSchema: { type: 'object', properties: { limit } },
    async run(input, context) {
      const paying: FetchLike = (url, init) => payFor(context.pay, url, init)
      const { asOf, services } = await read(context, '/trust', {}, paying, PAID_TIMEOUT_MS)
      const shown = Array.isArray(services)
        ? services.slice(0, readInteger(input.limit, 20, limit.maximum))
        : []
      return JSON.stringify({ asOf, services: shown })
    },
  },
  { ...GUARDED_FETCH, run: (input, { pay }) => callGuarded(pay, input) },
]

async function readFeed(context: ToolContext, path: string, input: Input): Promise<string> {
  const query = { limit: String(readInteger(input.limit, 20, limit.maximum)) }
  const since = input.days === undefined ? {} : { days: String(readInteger(input.days, 30, days.maximum)) }
  return JSON.stringify(await read(context, path, { ...since, ...query }))
}

async function readStatus(context: ToolContext, fields: readonly string[]): Promise<string> {
  const status = await read(context, '/status.json')
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field, status[field]])))
}

async function read(
  { serviceUrl, serviceFetch }: ToolContext,
  path: string,
  query: Readonly<Record<string, string>> = {},
  fetch = serviceFetch,
  timeoutMs = FREE_TIMEOUT_MS,
): Promise<Input> {
  const answer = await createServiceReader({ url: serviceUrl, fetch, timeoutMs })(path, query)
  if (isRecord(answer)) return answer
  throw new ServiceError("The service's answer is not an object.")
}

function readInteger(value: unknown, byDefault: number, maximum: number): number {
  const isValid = typeof value === 'number' && Number.isInteger(value) && value > 0
  return isValid ? Math.min(value, maximum) : byDefault
}
