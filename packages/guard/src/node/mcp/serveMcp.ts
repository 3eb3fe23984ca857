import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { answerOperator, isOperatorPath } from '../proxy/answerOperator.ts'
import type { PendingApprovals } from '../proxy/approvals.ts'
import { listenOnPort } from '../proxy/listen.ts'
import { refuse } from '../proxy/messages.ts'
import { createOperatorGate, isEqualText } from '../proxy/operatorProofs.ts'
import type { ToolContext } from '../tools/tool.ts'
import { createMcpServer } from './createMcpServer.ts'

export { askMcpClient } from './createMcpServer.ts'
export { toolCalls } from './toolCalls.ts'

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

/** Options of {@link serveHttp}. */
export type HttpOptions = {
  /** A port of 127.0.0.1; 0 picks a free one. */
  port: number
  /** Token of the clients. */
  token: string
  /** Secret of the operator's commands. */
  operator: string
  /** Payments that wait for the operator. */
  approvals: PendingApprovals
}

/**
 * Serves the tools over Streamable HTTP at `/mcp`, on this machine only and for clients with the token, since each of
 * them spends the wallet. The operator's commands are answered at `/operator`.
 * @throws ConfigurationError if the port cannot be opened
 */
export async function serveHttp(
  context: ToolContext,
  { port, token, operator, approvals }: HttpOptions,
): Promise<{ address: string; url: string; stop(): Promise<void> }> {
  let address = ''
  const gate = createOperatorGate({ secret: operator, address: () => address, now: Date.now })
  const http = createServer(async (request, response) => {
    const { url = '', method, headers } = request
    // Refuses web pages, which can reach this port through a DNS name that resolves to this machine.
    const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? '')
    if (!isLocal || headers.origin !== undefined) return void response.writeHead(403).end()
    if (isOperatorPath(url)) {
      const answer = await answerOperator({ gate, approvals, hasPage: false }, request)
      return send(response, answer)
    }
    if (url !== '/mcp') return void response.writeHead(404).end()
    const given = /^Bearer ([\w-]+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
    if (!isEqualText(given, token)) return send(response, refuseStranger())
    if (method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
    await answerClient(context, request, response)
  })
  address = await listenOnPort(http, port)
  return {
    address,
    url: `${address}/mcp`,
    async stop() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

function refuseStranger(): Response {
  const reason =
    'Expected the header Authorization: Bearer <token>; the token is in the file that the command names.'
  const refusal = refuse(401, 'TOKEN_INVALID', reason)
  refusal.headers.set('www-authenticate', 'Bearer realm="Touchstone"')
  return refusal
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text())
}

async function answerClient(
  context: ToolContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
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
}
