import { chmod, chown, stat, unlink } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { misconfigured } from '../../errors.ts'

/** Listens on a port of 127.0.0.1; 0 picks a free one. Returns the URL. @throws ConfigurationError */
export async function listenOnPort(server: Server, port: number): Promise<string> {
  await listen(server, { port, host: '127.0.0.1' })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Listens on a socket that its owner and its group may use. Returns its path. @throws ConfigurationError */
export async function listenOnSocket(
  server: Server,
  { socket, gid }: { socket: string; gid: number | null },
): Promise<string> {
  // Left behind by a killed proxy.
  if (await isDead(socket)) await unlink(socket)
  await listen(server, { path: socket })
  try {
    if (gid !== null) await chown(socket, -1, gid)
    await chmod(socket, 0o660)
  } catch (cause) {
    server.close()
    throw misconfigured(`socket ${socket}: its group or mode cannot be set`, cause)
  }
  return socket
}

function listen(server: Server, where: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const place = 'path' in where ? `socket ${where.path}` : `port ${where.port}`
      const why =
        cause.code === 'EADDRINUSE' ? 'is in use; choose another' : `cannot be opened (${cause.code})`
      reject(misconfigured(`${place}: ${why}`, cause))
    }
    server.once('error', fail).listen(where, () => resolve(void server.off('error', fail)))
  })
}

/** Returns whether a path is a socket without a listener. */
async function isDead(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => null)
  // A connection to any other file is refused in the same way.
  if (!info?.isSocket()) return false
  return new Promise((resolve) => {
    const probe = connect(path, () => {
      probe.destroy()
      resolve(false)
    })
    probe.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
  })
}
