import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import about from '../../../package.json' with { type: 'json' }
import type { AskHandler, Question } from '../../decide/ask.ts'
import { describeQuestion } from '../../decide/describeQuestion.ts'
import { escapeText } from '../../decide/escapeText.ts'
import { formatUsd } from '../../formatUsd.ts'
import { remedyOf } from '../proxy/approvals.ts'
import { SERVICE_TOOLS } from '../tools/serviceTools.ts'
import { TOKEN_TOOLS } from '../tools/tokenTools.ts'
import { runTool, type ToolContext, type ToolResult } from '../tools/tool.ts'
import { TOOLS } from '../tools/tools.ts'
import { type ToolCall, toolCalls } from './toolCalls.ts'

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
 * Creates an MCP server with the guard's tools, and with a service those that read it or buy from it, for any transport of
 * `@modelcontextprotocol/sdk`.
 * Content of sellers is marked as untrusted, and failures are described in the guard's own words.
 * @example
 * const server = createMcpServer({ guard, pay })
 * await server.connect(transport)
 */
export function createMcpServer(context: ToolContext): Server {
  const { serviceUrl = context.guard.serviceUrl } = context
  const all = serviceUrl === null ? TOOLS : [...TOOLS, ...SERVICE_TOOLS, ...TOKEN_TOOLS]
  const server = new Server({ name: 'touchstone', version: about.version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: all.map(({ hints, run: _, ...tool }) => ({ ...tool, annotations: hints })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = all.find(({ name }) => name === params.name)
    if (tool === undefined) return { content: [{ type: 'text', text: 'Unknown tool.' }], isError: true }
    const given = params.arguments ?? {}
    const body = typeof given.body === 'string' ? Buffer.from(given.body) : null
    const call: ToolCall = { server, signal, body, type: null, approval: null }
    // So that a question of the guard reaches the client that made the call.
    const result = await toolCalls.run(call, () => runTool(tool, given, context, signal))
    const { text, data, isError } = addApproval(result, call)
    return { content: [{ type: 'text', text }], ...(data !== null && { structuredContent: data }), isError }
  })
  return server
}

/** Adds to a result that waits for the operator how it can be allowed. */
function addApproval(result: ToolResult, { approval }: ToolCall): ToolResult {
  if (approval === null || result.data?.code !== approval.question.code) return result
  const remedy = remedyOf(approval)
  return { ...result, text: `${result.text} ${remedy}`, data: { ...result.data, remedy } }
}

// The guard's own timeout, at most.
const TIMEOUT_MS = 600_000

/**
 * Asks the person behind the MCP client whose tool call needs a payment, by elicitation. Refuses if the client has not
 * declared that capability, if it is not connected over stdio, and outside of a tool call. Over stdio the owner has
 * started the client, which answers for its person; over any other transport it may be anyone's.
 * Source: MCP 2025-06-18, elicitation.
 * @example
 * const guard = createGuard({ ask: askMcpClient, keepUrls: true })
 * const server = createMcpServer({ guard, pay: createGuardedFetch({ account, guard }) })
 */
export const askMcpClient: AskHandler = async (question) => {
  const call = toolCalls.getStore()
  if (!(call?.server.transport instanceof StdioServerTransport)) return false
  if (call.server.getClientCapabilities()?.elicitation === undefined) return false
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
function describe(question: Question): string {
  const { amountUsd, host } = question.intent
  const facts = describeQuestion(question).map(([label, text]) => `${label}: ${text}`)
  return [`Pay ${formatUsd(amountUsd)} to ${escapeText(host)}?`, ...facts].join('\n')
}
