import { AsyncLocalStorage } from 'node:async_hooks'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { findNetwork } from '@touchstone402/shared'
import about from '../../../package.json' with { type: 'json' }
import type { AskHandler, Question } from '../../decide/ask.ts'
import { SERVICE_TOOLS } from '../tools/serviceTools.ts'
import { runTool, type ToolContext } from '../tools/tool.ts'
import { TOOLS } from '../tools/tools.ts'

/**
 * A `fetch` that connects to public addresses only.
 * @example
 * const fetch = createPublicFetch({ serviceUrl: guard.serviceUrl })
 * const pay = createGuardedFetch({ account, guard, fetch })
 */
export { createPublicFetch, type PublicFetchOptions } from '../publicFetch.ts'
export type { AnswerOptions } from '../tools/answerBody.ts'
export type { CallResult } from '../tools/callEndpoint.ts'
export type { ToolContext } from '../tools/tool.ts'

/**
 * Creates an MCP server with the guard's tools, and with a service those that read it, for any transport of
 * `@modelcontextprotocol/sdk`.
 * Content of sellers is marked as untrusted, and failures are described in the guard's own words.
 * @example
 * const server = createMcpServer({ guard, pay })
 * await server.connect(transport)
 */
export function createMcpServer(context: ToolContext): Server {
  const { serviceUrl = context.guard.serviceUrl } = context
  const all = serviceUrl === null ? TOOLS : [...TOOLS, ...SERVICE_TOOLS]
  const server = new Server({ name: 'touchstone', version: about.version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: all.map(({ hints, run: _, ...tool }) => ({ ...tool, annotations: hints })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = all.find(({ name }) => name === params.name)
    if (tool === undefined) return { content: [{ type: 'text', text: 'Unknown tool.' }], isError: true }
    const run = () => runTool(tool, params.arguments ?? {}, context, signal)
    const { text, data, isError } = await runCall({ server, signal }, run)
    return { content: [{ type: 'text', text }], ...(data !== null && { structuredContent: data }), isError }
  })
  return server
}

/** A call of a tool, and the server that received it. */
type Call = { server: Server; signal: AbortSignal }

const calls = new AsyncLocalStorage<Call>()

/** Runs a call so that `askMcpClient` asks the client that made it. */
const runCall = <T>(call: Call, work: () => Promise<T>): Promise<T> => calls.run(call, work)

// The guard's own timeout, at most.
const TIMEOUT_MS = 600_000

/**
 * Asks the person behind the MCP client whose tool call needs a payment, by elicitation. Refuses if the client has not
 * declared that capability, and outside of a tool call. The client answers for its person, so it is as far to be trusted
 * as the limits of the policy go. Source: MCP 2025-06-18, elicitation.
 * @example
 * const guard = createGuard({ ask: askMcpClient })
 * const server = createMcpServer({ guard, pay: createGuardedFetch({ account, guard }) })
 */
export const askMcpClient: AskHandler = async (question) => {
  const call = calls.getStore()
  if (call?.server.getClientCapabilities()?.elicitation === undefined) return false
  const { action, content } = await call.server.elicitInput(
    {
      message: describe(question),
      requestedSchema: {
        type: 'object',
        properties: { pay: { type: 'boolean', title: 'Pay', default: false } },
        required: ['pay'],
      },
    },
    { signal: call.signal, timeout: TIMEOUT_MS },
  )
  return action === 'accept' && content?.pay === true
}

/** Describes a payment in the guard's own words. */
function describe({ intent, reason }: Question): string {
  const { amountUsd, host, payTo, network, method, endpoint } = intent
  const chain = findNetwork(network)?.label ?? network
  // The sentence is that of a refusal; here the answer is still open.
  const why = reason.replace(', and the payment was not approved', '')
  return `Pay $${amountUsd} to ${host} for ${method} ${endpoint}? Receiver: ${payTo} on ${chain}. ${why}`
}
