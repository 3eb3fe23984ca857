import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A server on a free port of the loopback address. */
export type LocalServer = { url: string; stop(): Promise<void> }

/** Starts a server that nothing outside of this machine reaches. A handler that fails breaks the connection. */
export async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<LocalServer> {
  const server = createServer((request, response) => {
    Promise.resolve()
      .then(() => handler(request, response))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
