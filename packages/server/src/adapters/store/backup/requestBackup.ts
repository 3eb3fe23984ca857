import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { codeOf } from '../../../errors.ts'
import { BackupError, explain } from './backupError.ts'
import { AnswerSchema, MAX_PATH_BYTES, socketPath } from './backupMessages.ts'
import type { Backup } from './makeBackup.ts'

/**
 * Asks the process that has a data folder open for a back-up.
 * @param target absolute path
 * @returns undefined if no process serves back-ups of the folder
 * @throws BackupError if the process cannot make it or ends meanwhile
 */
export async function requestBackup(
  directory: string,
  target: string,
  onLine: (line: string) => void,
): Promise<Backup | undefined> {
  const socket = await open(socketPath(directory))
  if (socket === undefined) return undefined
  // An error ends the lines, as an end does.
  socket.on('error', () => socket.destroy())
  try {
    socket.write(`${JSON.stringify({ target })}\n`)
    for await (const line of createInterface({ input: socket })) {
      const answer = AnswerSchema.parse(JSON.parse(line))
      if ('error' in answer) throw new BackupError(answer.error)
      if ('done' in answer) return answer.done
      onLine(answer.line)
    }
  } catch (cause) {
    throw explain('The server cannot make the back-up', cause)
  } finally {
    socket.destroy()
  }
  throw new BackupError('The server ended before the back-up was complete')
}

async function open(path: string): Promise<Socket | undefined> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return undefined
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return socket
  } catch (cause) {
    socket.destroy()
    if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ECONNREFUSED') return undefined
    throw explain(`Cannot reach the server through ${path}`, cause)
  }
}
