import { createServer, type Socket } from 'node:net'
import { type ConnectContext, openGuarded } from '../guardedConnect.ts'
import { readProxyRequest } from './readProxyRequest.ts'

/** A proxy on this machine for one program and one request. */
export type Tunnel = {
  /** URL of the proxy. */
  readonly proxy: string
  /** Error of the guarded connection, if it failed. */
  readonly dialError: () => unknown
  /** From the guarded connection's begin to the seller's last byte, ms. 0 before. */
  readonly elapsedMs: () => number
  /** Closes the proxy and its connections. */
  close(): void
}

/** Limits of a tunnel. */
export type TunnelLimits = {
  readonly signal: AbortSignal
  /** Maximum number of bytes from the seller, on all connections, with those of TLS. */
  readonly maxBytes: number
}

/** A client may connect again after it was cut off. */
const MAX_CONNECTIONS = 4
/** Maximum time for the head of the client's request, ms. */
const HEAD_MS = 10_000
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n'

/**
 * Opens a proxy on the loopback interface that connects to the host and port of one URL and to nothing else, by the guarded
 * connector: CONNECT for https, requests in absolute form for http. It reads only the head of the client's request and
 * sends the bytes on as they are, so that TLS is the client's own. Whatever it refuses, it answers by closing.
 */
export async function openTunnel(url: URL, context: ConnectContext, limits: TunnelLimits): Promise<Tunnel> {
  const { signal, maxBytes } = limits
  const sockets = new Set<Socket>()
  let dialError: unknown
  let dialledAt: number | undefined
  let lastByteAt = 0
  let received = 0

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  }

  async function connect(client: Socket, head: string, rest: Buffer): Promise<void> {
    dialledAt ??= performance.now()
    const { hostname, port, protocol } = url
    const place = { protocol: 'http:', hostname, port: port === '' && protocol === 'https:' ? '443' : port }
    const seller = await openGuarded(place, { ...context, signal })
    keep(seller)
    if (client.destroyed) {
      seller.destroy()
      return
    }
    seller.once('close', () => client.destroySoon())
    client.once('close', () => seller.destroy())
    seller.on('data', (chunk: Buffer) => {
      lastByteAt = performance.now()
      received += chunk.length
      if (received > maxBytes) client.destroy()
    })
    if (head === '') client.write(ESTABLISHED)
    else seller.write(head, 'latin1')
    if (rest.length > 0) seller.write(rest)
    client.pipe(seller).pipe(client)
  }

  function serve(client: Socket): void {
    keep(client)
    let bytes = Buffer.alloc(0)
    const timer = setTimeout(() => client.destroy(), HEAD_MS)
    client.once('close', () => clearTimeout(timer))
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      const asked = readProxyRequest(bytes, url)
      if (asked === 'incomplete') return
      client.off('data', onData).pause()
      clearTimeout(timer)
      if (asked === 'refused') {
        client.destroy()
        return
      }
      connect(client, asked.head, asked.rest).catch((error: unknown) => {
        dialError ??= error
        client.destroy()
      })
    }
    client.on('data', onData)
  }

  signal.throwIfAborted()
  const server = createServer(serve)
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const close = () => {
    signal.removeEventListener('abort', close)
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  signal.addEventListener('abort', close, { once: true })
  return {
    proxy: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    dialError: () => dialError,
    elapsedMs: () => (dialledAt === undefined ? 0 : Math.max(0, lastByteAt - dialledAt)),
    close,
  }
}
