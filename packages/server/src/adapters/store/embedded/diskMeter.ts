import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MINUTE } from '../../../domain/facts/times.ts'

/** Returns a function that tells the size of a folder's files in bytes as last measured, at most a minute ago. */
export function createDiskMeter(folder: string): () => number | null {
  let bytes: number | null = null
  let measuredAt = Number.NEGATIVE_INFINITY
  const measure = async () => {
    const sizes = await Promise.all(
      (await readdir(folder)).map((name) =>
        // A file may be gone by now.
        stat(join(folder, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    )
    bytes = sizes.reduce((sum, size) => sum + size, 0)
  }
  const check = () => {
    if (performance.now() - measuredAt >= MINUTE) {
      measuredAt = performance.now()
      measure().catch(() => undefined)
    }
    return bytes
  }
  check()
  return check
}
