import { OPERATIONS } from '@touchstone402/shared'
import * as z from 'zod/mini'
import type { TouchstoneClient } from '../../verdicts/client/createTouchstoneClient.ts'
import { askService, describeAnswer, ENTRIES, limit } from './askService.ts'
import { type ObjectSchema, READS, SPENDS, type Tool, ToolError } from './tool.ts'

const { incidents, changes, status, trust } = OPERATIONS
const [Incidents] = incidents.response
const [Changes] = changes.response
const [Status] = status.response
const [, Catalog] = trust.response
const Stats = z.pick(Status, { asOf: true, ecosystem: true, catalogAudit: true, security: true })
const Leaders = z.pick(Status, { asOf: true, topHealthy: true, topProviders: true })
const Working = z.pick(Catalog, { asOf: true, services: true })

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
      outputSchema: describeAnswer(schema),
      run(input, context) {
        const query = { limit: ENTRIES, ...input }
        return askService(
          context,
          (service) => (isFeed ? service[operation](query) : service.status()),
          schema,
        )
      },
    }
  }),
  {
    name: 'x402_working_services',
    title: 'Working x402 services',
    description: `Working x402 services with endpoints and prices in dollars, best first. Costs $${trust.priceUsd} of the budget by default.`,
    hints: SPENDS,
    inputSchema: { type: 'object', properties: { limit } },
    outputSchema: describeAnswer(Working),
    run({ limit: entries = ENTRIES }, context) {
      const readCatalog = async (service: TouchstoneClient) => {
        const answer = await service.trust()
        if (!('services' in answer)) throw new ToolError('The service sent no catalog.')
        return { ...answer, services: answer.services.slice(0, Number(entries)) }
      }
      return askService(context, readCatalog, Working)
    },
  },
]
