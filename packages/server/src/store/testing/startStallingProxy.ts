import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SOCKET = '.s.PGSQL.5432'

/**
 * Starts a proxy to a PostgreSQL server on a Unix socket, whose connections can go silent without ending, as they do when a
 * network drops them.
 */
export async function startStallingProxy(serverUrl: string) {
  const url = new URL(serverUrl)
  const target = join(url.searchParams.get('host') ?? '', SOCKET)
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-stall-'))
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }).listen(join(directory, SOCKET))
  await once(server, 'listening')
  url.searchParams.set('host', directory)
  return {
    url: url.href,
    /** Silences the open connections for ever; later ones work. */
    stall(): void {
      for (const socket of sockets) socket.unpipe().pause()
    },
    async stop(): Promise<void> {
      server.close()
      for (const socket of sockets) socket.destroy()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
