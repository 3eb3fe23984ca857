import { createServer, type RequestListener } from 'node:http'

/** A server on a free loopback port. */
export type LocalServer = { url: string; port: number; stop(): Promise<void> }

/** Starts a server on loopback. A handler that throws breaks the connection. */
export async function serve(
  handler: (...parameters: Parameters<RequestListener>) => unknown,
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
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
