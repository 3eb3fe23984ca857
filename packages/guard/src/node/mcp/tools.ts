import type { Guard } from '../../seats/createGuard.ts'
import type { FetchLike } from '../../types.ts'
import { CHECK_ENDPOINT, checkEndpoint } from '../agentTools/checkEndpoint.ts'
import { callGuarded, GUARDED_FETCH, payFor, readText, TIMEOUT_MS } from '../agentTools/guardedFetchTool.ts'
import { ToolError } from '../agentTools/toolError.ts'

/** What the tools work with. */
export type ToolContext = {
  guard: Guard
  /** Base URL of the service. */
  serviceUrl: string
  /** Reaches the service. */
  serviceFetch: FetchLike
  /** Pays endpoints within the policy; null where there is no wallet. */
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
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string>
}

const days = { type: 'integer', minimum: 1, maximum: 365, description: 'How many days to look back.' }
const limit = { type: 'integer', minimum: 1, maximum: 100, description: 'How many at the most.' }
const nothing = { type: 'object', properties: {} } as const

/** The tools, by what they answer. Descriptions are read by models: they say what is known, and what it costs. */
export const TOOLS: readonly Tool[] = [
  { ...CHECK_ENDPOINT, run: (input, { guard }) => checkEndpoint(guard, input) },
  {
    name: 'x402_incidents',
    description: 'Security incidents of x402 services with proof on chain, newest first. Free.',
    inputSchema: { type: 'object', properties: { days, limit } },
    run: (input, context) => readFeed(context, '/incidents.json', input),
  },
  {
    name: 'x402_changes',
    description: 'Recent changes of x402 services: gone dark, receiver swapped, price jumped, new. Free.',
    inputSchema: { type: 'object', properties: { days, limit } },
    run: (input, context) => readFeed(context, '/changes.json', input),
  },
  {
    name: 'x402_ecosystem_stats',
    description: 'How many x402 services live, how honest directories are, and which risks were found. Free.',
    inputSchema: nothing,
    async run(_, context) {
      const { asOf, ecosystem, catalogAudit, security } = await readStatus(context)
      return JSON.stringify({ asOf, ecosystem, catalogAudit, security })
    },
  },
  {
    name: 'x402_leaderboard',
    description: 'The healthiest x402 endpoints and the best providers. Free.',
    inputSchema: nothing,
    async run(_, context) {
      const { asOf, topHealthy, topProviders } = await readStatus(context)
      return JSON.stringify({ asOf, topHealthy, topProviders })
    },
  },
  {
    name: 'x402_working_services',
    description:
      'The working x402 services, best first, with endpoints and prices. Costs about $0.005 of the budget.',
    inputSchema: { type: 'object', properties: { limit } },
    async run(input, context) {
      const response = await payFor(context.pay, new URL('trust', base(context)).href, { method: 'GET' })
      if (!response.ok) throw new ToolError(`The service answered with status ${response.status}.`)
      const { asOf, services } = JSON.parse(await readText(response))
      return JSON.stringify({ asOf, services: services.slice(0, readInteger(input.limit, 20)) })
    },
  },
  { ...GUARDED_FETCH, run: (input, { pay }) => callGuarded(pay, input) },
]

const base = ({ serviceUrl }: ToolContext): string => `${serviceUrl.replace(/\/+$/, '')}/`

async function readFeed(context: ToolContext, path: string, input: Readonly<Record<string, unknown>>) {
  const url = new URL(path.slice(1), base(context))
  if (input.days !== undefined) url.searchParams.set('days', String(readInteger(input.days, 30)))
  url.searchParams.set('limit', String(readInteger(input.limit, 20)))
  return JSON.stringify(await readJson(context, url.href))
}

const readStatus = (context: ToolContext) => readJson(context, new URL('status.json', base(context)).href)

async function readJson(context: ToolContext, url: string): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await context.serviceFetch(url, { redirect: 'error', signal }).catch(() => {
    throw new ToolError('The service did not answer.')
  })
  if (response.status !== 200) throw new ToolError(`The service answered with status ${response.status}.`)
  try {
    return JSON.parse(await readText(response))
  } catch {
    throw new ToolError('The answer of the service is no JSON.')
  }
}

function readInteger(value: unknown, byDefault: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, 365) : byDefault
}
