import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach } from 'vitest'

/** Gives each test a folder of its own; the function that comes back names it. */
export function useScratchFolder(): () => string {
  let directory = ''
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'touchstone-store-'))
    return () => rm(directory, { recursive: true })
  })
  return () => directory
}
