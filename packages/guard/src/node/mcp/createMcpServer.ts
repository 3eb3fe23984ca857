import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describeFailure } from '../agentTools/toolError.ts'
import type { ToolContext } from './tool.ts'
import { TOOLS } from './tools.ts'

/**
 * A `fetch` that connects to public addresses only.
 * @example
 * const fetch = createPublicFetch({ serviceUrl: guard.serviceUrl })
 * const pay = createGuardedFetch({ account, guard, fetch })
 */
export { createPublicFetch, type PublicFetchOptions } from '../publicFetch.ts'
export type { ToolContext } from './tool.ts'

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
    tools: TOOLS.map(({ hints, run: _, ...tool }) => ({ ...tool, annotations: hints })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name)
    if (tool === undefined) return failure('Unknown tool.')
    try {
      const { text, data } = await tool.run(params.arguments ?? {}, context)
      return { ...toContent(text), structuredContent: data, isError: false }
    } catch (error) {
      return failure(describeFailure(error))
    }
  })
  return server
}

const toContent = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const failure = (text: string) => ({ ...toContent(text), isError: true })
