import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describeFailure } from '../agentTools/toolError.ts'
import { TOOLS, type ToolContext } from './tools.ts'

export { createPublicFetch } from '../publicFetch.ts'
export type { ToolContext } from './tools.ts'

/**
 * Makes an MCP server with the tools of the guard; connect it to any transport of `@modelcontextprotocol/sdk`.
 * What comes from sellers is marked as untrusted, and what goes wrong is said in the guard's own words.
 */
export function createMcpServer(context: ToolContext): Server {
  const server = new Server({ name: 'touchstone', version: '0.1.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: TOOLS.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name)
    if (tool === undefined) return answer('There is no such tool.', true)
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
