import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** Answers one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A call whose content the tests do not read. */
export const CALL = { payload: { x402Version: 2 as const }, requirements: {} }

/** Starts an HTTP server on a free port until the test ends. Returns its URL. */
export async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

/** Returns a handler that answers JSON. */
export const json =
  (status: number, body: unknown): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
