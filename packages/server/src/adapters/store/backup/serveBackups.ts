import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { messageOf } from '../../../errors.ts'
import { type Answer, MAX_PATH_BYTES, RequestSchema, socketPath } from './backupMessages.ts'
import { type BackupOptions, makeBackup } from './makeBackup.ts'

/** Options of `serveBackups`. */
export type ServeBackupsOptions = Pick<BackupOptions, 'directory' | 'copyTo'> & {
  /** Receives errors of the socket; requests get their own. */
  onError(error: unknown): void
}

/** Longest request in bytes. */
const REQUEST_BYTES = 16_384

/**
 * Makes back-ups on request over a Unix socket in a data folder that this process has open. Replaces the socket of a
 * dead process. Only the owner of the folder can connect. One back-up is made at a time.
 * @returns a function that waits for a running back-up and removes the socket
 */
export async function serveBackups(options: ServeBackupsOptions): Promise<() => Promise<void>> {
  const { directory, onError } = options
  const path = socketPath(directory)
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    onError(new Error(`No back-ups while this process runs: the path ${path} is too long for a socket`))
    return async () => undefined
  }
  let running: Promise<void> | undefined
  const sockets = new Set<Socket>()

  const serve = async (socket: Socket): Promise<void> => {
    const say = (answer: Answer) => void socket.write(`${JSON.stringify(answer)}\n`)
    const target = await readTarget(socket)
    if (target === undefined) return say({ error: 'The request names no folder' })
    if (running) return say({ error: 'Another back-up is being made' })
    running = makeBackup({ ...options, target, onLine: (line) => say({ line }) }).then(
      (done) => say({ done }),
      (error) => say({ error: messageOf(error) }),
    )
    await running
    running = undefined
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A client that leaves early is no fault of ours.
    socket.on('error', () => socket.destroy())
    serve(socket).then(() => socket.end(), onError)
  })
  await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  server.on('error', onError)
  await chmod(path, 0o600)

  return async () => {
    await running
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroySoon()
    await closed
    await rm(path, { force: true })
  }
}

/** Reads the folder that a client names. */
async function readTarget(socket: Socket): Promise<string | undefined> {
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes > REQUEST_BYTES) socket.destroy()
  })
  const lines = createInterface({ input: socket })
  try {
    const { value } = await lines[Symbol.asyncIterator]().next()
    return RequestSchema.parse(JSON.parse(value)).target
  } catch {
    return undefined
  } finally {
    lines.close()
    // Closing the reader pauses the socket, and its end would not be seen.
    socket.resume()
  }
}
