import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../../../durable/durableFiles.ts'

/** A file that is written at its end. */
export type LogFile = {
  /** Writes all bytes at an offset. */
  write(bytes: Uint8Array, offset: number): Promise<void>
  /** Flushes written bytes to disk. */
  sync(): Promise<void>
  /** Truncates the file durably. */
  truncate(bytes: number): Promise<void>
  close(): Promise<void>
}

/** Opens a file of the log; a new one is durable in its folder before this resolves. */
export type OpenLogFile = (path: string) => Promise<LogFile>

/** Opens a file of the log on disk. */
export const openLogFile: OpenLogFile = async (path) => {
  const handle = await openOrCreate(path)
  return {
    async write(bytes, offset) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done)
        done += bytesWritten
      }
    },
    sync: () => handle.datasync(),
    async truncate(bytes) {
      await handle.truncate(bytes)
      await handle.datasync()
    },
    close: () => handle.close(),
  }
}

async function openOrCreate(path: string) {
  try {
    return await open(path, 'r+')
  } catch {
    const handle = await open(path, 'wx', 0o600)
    await syncFolder(dirname(path))
    return handle
  }
}
