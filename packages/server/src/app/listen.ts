import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Starts listening.
 * @returns the URL, such as `http://127.0.0.1:8402`
 * @throws Error if the address is in use
 */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const { address, family, port: bound } = server.address() as AddressInfo
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`)
    })
  })
}
