import { resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { codeOf } from '../../lib/errors.ts'
import { readDisk } from '../../services/health/checkStore.ts'
import { readFolderFormat } from '../../store/sqliteFile.ts'
import { checkPlaces, nearest } from './checkPlaces.ts'
import { describeFormat } from './describeFormat.ts'
import { type Check, fail, ofHealth, ok, warn } from './finding.ts'
import { readPublishedKeys } from './readPublishedKeys.ts'

const MEGABYTE = 1024 * 1024
/** Minimum free space for a start. The running service warns later, since its files exist by then. */
const LEAST_BYTES = 512 * MEGABYTE
/** The caches take up to 10 GiB: snapshots 8, transfers 2. */
const ROOM_BYTES = 12 * 1024 * MEGABYTE

/** Lists the checks of this machine: disk, file modes, keys and limits. Nothing is created. */
export function checkMachine(config: Config): Check[] {
  const { dataDir, databaseUrl } = config
  return [
    { name: 'disk', run: () => checkDisk(resolve(dataDir), databaseUrl === null) },
    ...checkPlaces(config, 'all', () => readPublishedKeys(config)),
    ...(databaseUrl === null ? [{ name: 'store', run: () => checkFormat(resolve(dataDir)) }] : []),
  ]
}

async function checkFormat(dataDir: string) {
  const format = await readFolderFormat(dataDir).catch((error: unknown) => {
    // Left to the check of the folder.
    if (['ENOTDIR', 'EACCES'].includes(codeOf(error) ?? '')) return undefined
    throw error
  })
  if (format === undefined) return ok('there is none yet')
  return describeFormat(dataDir, format) ?? ok('it has the format of this version')
}

async function checkDisk(dataDir: string, isInFolder: boolean) {
  return describeDisk(await readDisk(await nearest(dataDir).catch(() => '/'), isInFolder), dataDir)
}

/** Judges the free space of a data folder. */
export function describeDisk({ freeBytes, finding }: Awaited<ReturnType<typeof readDisk>>, dataDir: string) {
  const text = `${Math.round(freeBytes / MEGABYTE)} MB free for DATA_DIR ${dataDir}`
  if (finding !== null) return ofHealth(finding)
  if (Number.isNaN(freeBytes))
    return warn(`the free space for DATA_DIR ${dataDir} is unknown: see that it has 12 GB`)
  if (freeBytes < LEAST_BYTES) return fail(`${text}: at least 512 MB are needed, 12 GB are better`)
  if (freeBytes < ROOM_BYTES)
    return warn(`${text}: its caches may take 10 GB, and the database grows besides`)
  return ok(text)
}
