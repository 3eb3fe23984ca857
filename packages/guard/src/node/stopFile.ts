import { rm, stat, writeFile } from 'node:fs/promises'

/** A file whose existence stops payments. */
export type StopFile = {
  exists(): Promise<boolean>
  /** Creates or removes the file. */
  set(isStopped: boolean): Promise<void>
}

/** Creates a switch that all processes of one machine share, and that a person can set without a program. */
export function createStopFile(path: string): StopFile {
  return {
    async exists() {
      try {
        await stat(path)
        return true
      } catch (error) {
        // A switch that cannot be read counts as set.
        return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
      }
    },
    async set(isStopped) {
      if (!isStopped) return rm(path, { force: true })
      await writeFile(path, '', { flag: 'a', mode: 0o600, flush: true })
    },
  }
}
