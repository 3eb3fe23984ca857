import { createServer, type RequestListener, type Server } from 'node:http'

/** A server on a free loopback port. */
export type LocalServer = { url: string; port: number; stop(): Promise<void> }

/** Starts a server on loopback. A handler that throws breaks the connection. */
export function serve(
  handler: (...parameters: Parameters<RequestListener>) => unknown,
): Promise<LocalServer> {
  return listen(
    createServer((request, response) => {
      Promise.resolve()
        .then(() => handler(request, response))
        .catch(() => response.destroy())
    }),
  )
}

/** Listens on loopback. @param port @default a free one */
export async function listen(server: Server, port = 0): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Campaigns open thousands of connections at once.
    server.listen({ port, host: '127.0.0.1', backlog: 1024 }, resolve)
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
