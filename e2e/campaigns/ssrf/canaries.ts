import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Listeners on loopback that must never be reached. */
export type Canaries = {
  /** Ports open on at least one loopback address, ephemeral ports last. */
  readonly ports: readonly number[]
  /** Number of connections since the last reset. */
  hits(): number
  reset(): void
  close(): Promise<void>
}

const ADDRESSES = ['127.0.0.1', '::1']
// Typical targets of forged requests; ports that this user may not open are skipped.
const WELL_KNOWN = [80, 443, 22, 25, 6379, 8080]
const FREE = 8

/** Opens canaries on both loopback addresses. @throws if one of them misses a connection */
export async function openCanaries(): Promise<Canaries> {
  let hits = 0
  const open = async (port: number, host: string) => {
    const server = createServer((socket) => {
      hits++
      socket.on('error', () => {})
      socket.destroy()
    })
    const isOpen = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen({ port, host, ipv6Only: host === '::1' }, () => resolve(true))
    })
    return isOpen ? server : null
  }
  const wanted = [...WELL_KNOWN, ...Array.from({ length: FREE }, () => 0)]
  const opened = await Promise.all(ADDRESSES.flatMap((host) => wanted.map((port) => open(port, host))))
  const servers = opened.filter((server) => server !== null)
  const places = servers.map((server) => server.address() as AddressInfo)
  for (const { address, port } of places) {
    const before = hits
    await touch(address, port)
    if (hits === before) throw new Error(`the canary at ${address}:${port} missed a connection`)
  }
  hits = 0
  return {
    ports: [...new Set(places.map(({ port }) => port))].sort((a, b) => a - b),
    hits: () => hits,
    reset: () => {
      hits = 0
    },
    async close() {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

function touch(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host)
    socket.once('error', reject).once('close', () => resolve())
    socket.resume()
  })
}

/** Every connection attempt of this process, as `address:port`. */
export type Watch = { readonly dials: readonly string[]; reset(): void; stop(): void }

/** Records the connection attempts of this process until stopped. */
export function watchDials(): Watch {
  const dials: string[] = []
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', (address: string, port: number) => dials.push(`${address}:${port}`))
  }
  subscribe('net.client.socket', onSocket)
  return {
    dials,
    reset: () => {
      dials.length = 0
    },
    stop: () => unsubscribe('net.client.socket', onSocket),
  }
}
