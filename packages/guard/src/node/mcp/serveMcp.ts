import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { ToolContext } from '../tools/tool.ts'
import { createMcpServer } from './createMcpServer.ts'

export { askMcpClient } from './createMcpServer.ts'

/** Serves the tools over standard input and output until the client disconnects. */
export async function serveStdio(context: ToolContext): Promise<void> {
  const server = createMcpServer(context)
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', () => void server.close())
  })
  await server.connect(new StdioServerTransport())
  await closed
}

/**
 * Serves the tools over Streamable HTTP at `/mcp`, on this machine only, since every client spends the wallet.
 * @param port 0 picks a free one
 */
export async function serveHttp(
  context: ToolContext,
  port: number,
): Promise<{ url: string; stop(): Promise<void> }> {
  const http = createServer(async (request, response) => {
    // Refuses web pages, which can reach this port through a DNS name that resolves to this machine.
    const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')
    if (!isLocal || request.headers.origin !== undefined) return void response.writeHead(403).end()
    if (request.url !== '/mcp') return void response.writeHead(404).end()
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
    // One server and transport per request: without sessions nothing leaks between clients.
    const server = createMcpServer(context)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    response.once('close', () => void server.close())
    try {
      await server.connect(transport as Parameters<typeof server.connect>[0])
      await transport.handleRequest(request, response)
    } catch {
      if (!response.headersSent) response.writeHead(500).end()
    }
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const address = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    async stop() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
