import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'

/** Serves on a free loopback port until the test ends; resolves to the origin. */
export async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}
