import { open } from 'node:fs/promises'

/** Flushes the names of a folder to disk. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open directories; its file systems write their metadata in order.
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
