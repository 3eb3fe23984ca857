import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'

/** A server on a loopback port. */
export type LocalServer = { port: number; url: string; close(): Promise<void> }

const MAX_BODY_BYTES = 256 * 1024

/**
 * Listens on 127.0.0.1.
 * @param hold held while a request is handled, so that fast time stops meanwhile.
 * @param port 0 for any free one
 */
export async function listen(
  handler: RequestListener,
  hold: () => () => void,
  port = 0,
): Promise<LocalServer> {
  const server = createServer((request, response) => {
    response.once('close', hold())
    handler(request, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Splits a request target at the first question mark. A URL parser would throw on some targets. */
export function readTarget(request: IncomingMessage): { pathname: string; query: URLSearchParams } {
  const [pathname = '/', ...rest] = (request.url ?? '/').split('?')
  return { pathname, query: new URLSearchParams(rest.join('?')) }
}

/** Sends a JSON response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...headers,
  })
  response.end(bytes)
}

/**
 * Reads a JSON object from a request.
 * @throws if it is larger than 256 kB, or not an object.
 */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('body too large')
    chunks.push(chunk)
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  if (!isRecord(value)) throw new Error('body is not an object')
  return value
}

/** Returns whether a value is a non-null object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
