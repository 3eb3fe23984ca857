import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describeFailure } from '../agentTools/toolError.ts'
import { TOOLS, type ToolContext } from './tools.ts'

/**
 * A `fetch` that connects to public addresses only.
 * @example
 * const pay = createGuardedFetch({ account, guard, fetch: createPublicFetch() })
 */
export { createPublicFetch } from '../publicFetch.ts'
export type { ToolContext } from './tools.ts'

/**
 * Creates an MCP server with the guard's tools, for any transport of `@modelcontextprotocol/sdk`.
 * Content of sellers is marked as untrusted, and failures are described in the guard's own words.
 * @example
 * const server = createMcpServer({ guard, serviceUrl: 'https://touchstone.example', serviceFetch: fetch, pay })
 * await server.connect(transport)
 */
export function createMcpServer(context: ToolContext): Server {
  const server = new Server({ name: 'touchstone', version: '0.1.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: TOOLS.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name)
    if (tool === undefined) return answer('Unknown tool.', true)
    try {
      return answer(await tool.run(params.arguments ?? {}, context), false)
    } catch (error) {
      return answer(describeFailure(error), true)
    }
  })
  return server
}

function answer(text: string, isError: boolean) {
  return { content: [{ type: 'text' as const, text }], isError }
}
