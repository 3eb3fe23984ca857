import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach } from 'vitest'

/** Creates a temporary folder for each test. Returns a function that names it. */
export function useScratchFolder(): () => string {
  let directory = ''
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'touchstone-store-'))
    return () => rm(directory, { recursive: true })
  })
  return () => directory
}
