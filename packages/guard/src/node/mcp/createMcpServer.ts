import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { SERVICE_TOOLS } from '../tools/serviceTools.ts'
import { runTool, type ToolContext } from '../tools/tool.ts'
import { TOOLS } from '../tools/tools.ts'
import { runCall } from './askClient.ts'

/**
 * A `fetch` that connects to public addresses only.
 * @example
 * const fetch = createPublicFetch({ serviceUrl: guard.serviceUrl })
 * const pay = createGuardedFetch({ account, guard, fetch })
 */
export { createPublicFetch, type PublicFetchOptions } from '../publicFetch.ts'
export type { CallResult } from '../tools/callEndpoint.ts'
export type { ToolContext } from '../tools/tool.ts'
export { askMcpClient } from './askClient.ts'

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
  const server = new Server({ name: 'touchstone', version: '0.1.0' }, { capabilities: { tools: {} } })
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
