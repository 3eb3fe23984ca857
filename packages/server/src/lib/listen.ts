import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Starts listening.
 * @param settings names of the settings of the address
 * @returns the URL, such as `http://127.0.0.1:8402`
 * @throws Error that names the settings if the address is in use or not of this machine
 */
export function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  settings: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`${settings}: cannot listen at ${host}:${port}: ${error.message}`, { cause: error }))
    })
    server.listen(port, host, () => {
      const { address, family, port: bound } = server.address() as AddressInfo
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`)
    })
  })
}
