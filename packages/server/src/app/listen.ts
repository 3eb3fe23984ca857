import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Listens.
 * @returns where: `http://127.0.0.1:8402`
 * @throws when the address is taken
 */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo
      resolve(
        `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
      )
    })
  })
}
