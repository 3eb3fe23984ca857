import { mkdir, mkdtemp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { askFor } from '@touchstone402/shared/testing'
import { inject } from 'vitest'
import { npmSettings } from './npmSettings.ts'
import type { Install } from './packAndInstall.ts'

/** Returns the packed packages of the run, which the first caller waits for. @throws if packing or installing fails */
export async function openInstall(): Promise<Install> {
  return JSON.parse(await askFor(inject('install')))
}

/**
 * Returns the environment of npm for the tests of one file: with the packages that the run has fetched, and a place of
 * its own for what npx installs, since two runs of npx would install into one folder at once.
 */
export async function openNpm({ registry, cache }: Install) {
  const own = await mkdtemp(`${cache}-`)
  await mkdir(join(cache, '_cacache'), { recursive: true })
  await symlink(join(cache, '_cacache'), join(own, '_cacache'))
  return npmSettings({ registry, cache: own })
}
