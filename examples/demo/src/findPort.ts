import { createServer } from 'node:net'

/** Returns the wanted port if it is free, else any free port. */
export async function findPort(wanted: number): Promise<number> {
  for (const port of [wanted, 0]) {
    const server = createServer()
    const bound = await new Promise<number | null>((resolve) => {
      server.once('error', () => resolve(null))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : null)
      })
    })
    await new Promise((resolve) => server.close(resolve))
    if (bound !== null) return bound
  }
  throw new Error('no port is free')
}
