import { FlowSchema, MomentumSchema, OPERATIONS, PulseSchema, WhalesSchema } from '@touchstone402/shared'
import type * as z from 'zod/mini'
import type { TouchstoneClient } from '../../verdicts/client/createTouchstoneClient.ts'
import { askService, describeAnswer, ENTRIES, limit } from './askService.ts'
import { type ObjectSchema, SPENDS, type Tool } from './tool.ts'

const { token, window, min } = OPERATIONS.whales.query

const ofToken = {
  token: { type: 'string', description: token.description },
  window: {
    type: 'string',
    enum: [...window.choices],
    default: window.default,
    description: window.description,
  },
}
const inputOf = (more: ObjectSchema['properties'] = {}): ObjectSchema => ({
  type: 'object',
  properties: { ...ofToken, ...more },
  required: ['token'],
})

type Input = Readonly<Record<string, unknown>>
type Query = { readonly token: string }
type Ask = (
  service: TouchstoneClient,
  query: Query,
  entries: number,
) => Promise<Readonly<Record<string, unknown>>>

/** Creates a tool that buys a token answer from the service, within the policy. */
function tokenTool(
  operation: 'pulse' | 'whales' | 'flow' | 'momentum',
  title: string,
  schema: z.ZodMiniType<Record<string, unknown>>,
  ask: Ask,
  more?: ObjectSchema['properties'],
): Tool {
  const { summary, priceUsd } = OPERATIONS[operation]
  return {
    name: `token_${operation}`,
    title: `${title}, paid by x402`,
    description: `${summary} ERC-20 tokens on Base. Costs $${priceUsd} of the budget by default.`,
    hints: SPENDS,
    inputSchema: inputOf(more),
    outputSchema: describeAnswer(schema),
    run({ limit: entries = ENTRIES, ...query }: Input, context) {
      return askService(context, (service) => ask(service, query as Query, Number(entries)), schema)
    },
  }
}

/** Tools that buy on-chain figures of a token. */
export const TOKEN_TOOLS: readonly Tool[] = [
  tokenTool('pulse', 'Activity of a token', PulseSchema, (service, query) => service.pulse(query)),
  tokenTool(
    'whales',
    'Large transfers of a token',
    WhalesSchema,
    async (service, query, entries) => {
      const answer = await service.whales(query)
      const rows = answer.rows.slice(0, entries)
      return { ...answer, rows, count: rows.length, truncated: answer.matched > rows.length }
    },
    { min: { type: 'string', description: min.description }, limit },
  ),
  tokenTool(
    'flow',
    'Net flow of a token by address',
    FlowSchema,
    async (service, query, entries) => {
      const answer = await service.flow(query)
      const cut = <T>(rows: readonly T[]) => rows.slice(0, entries)
      const [topAccumulators, topDistributors] = [cut(answer.topAccumulators), cut(answer.topDistributors)]
      const isCut = Math.max(answer.topAccumulators.length, answer.topDistributors.length) > entries
      return { ...answer, topAccumulators, topDistributors, truncated: answer.truncated || isCut }
    },
    { limit },
  ),
  tokenTool('momentum', 'A token compared with before', MomentumSchema, (service, query) =>
    service.momentum(query),
  ),
]
