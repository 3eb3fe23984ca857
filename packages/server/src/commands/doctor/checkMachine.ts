import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { codeOf } from '../../errors.ts'
import { readKeys } from '../../keys/keyFile.ts'
import { readDisk } from '../../services/health/checkStore.ts'
import { readShopperKey } from '../../shop/readShopperKey.ts'
import { type Check, fail, ofHealth, ok, warn } from './finding.ts'

const MEGABYTE = 1024 * 1024
/** Minimum free space for a start. The running service warns later, since its files exist by then. */
const LEAST_BYTES = 512 * MEGABYTE
/** The caches take up to 10 GiB: snapshots 8, transfers 2. */
const ROOM_BYTES = 12 * 1024 * MEGABYTE

/** Lists the checks of this machine: disk, file modes and keys. Nothing is created. */
export function checkMachine({ dataDir, databaseUrl, signingKeyFile, log, shopper }: Config): Check[] {
  return [
    { name: 'disk', run: () => checkDisk(resolve(dataDir), databaseUrl === null) },
    { name: 'data folder', run: () => checkFolder(resolve(dataDir)) },
    {
      name: 'signing key',
      run: () => checkKey('SIGNING_KEY_FILE', signingKeyFile ?? join(dataDir, 'signing-keys.json'), readKeys),
    },
    { name: 'log key', run: () => checkKey('LOG_KEY_FILE', log.keyFile ?? join(dataDir, 'log-key')) },
    ...(shopper === null
      ? []
      : [
          {
            name: 'shopper key',
            run: async () => {
              await readShopperKey(shopper.keyFile)
              return ok('readable, by its owner alone')
            },
          },
        ]),
  ]
}

/** Finds the folder that is there: the data folder, or what it would be created in. */
async function nearest(path: string): Promise<string> {
  try {
    await stat(path)
    return path
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    return nearest(dirname(path))
  }
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

async function checkFolder(dataDir: string) {
  const unusable = (why: string) =>
    fail(`DATA_DIR ${dataDir} ${why}: choose a folder in which the user of the service may write`)
  const place = await nearest(dataDir).catch(() => undefined)
  if (place === undefined) return unusable('cannot be created')
  const found = await stat(place)
  if (!found.isDirectory()) return unusable(`cannot be a folder, ${place} is a file`)
  const mayWrite = await access(place, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!mayWrite) return unusable(place === dataDir ? 'is not writable' : `cannot be created in ${place}`)
  if (place !== dataDir) return ok(`${dataDir} can be created in ${place}`)
  if ((found.mode & 0o077) === 0) return ok(`${dataDir} is writable, by its owner alone`)
  return found.uid === process.getuid?.()
    ? warn(`${dataDir} is open to other users; the start sets its mode to 700`)
    : warn(`${dataDir} is open to other users and not ours: set its mode to 700`)
}

/** @param read parses the file. @throws Error that names the file and the fault */
async function checkKey(
  setting: string,
  path: string,
  read: (path: string) => Promise<unknown> = async () => {},
) {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (found === undefined) return ok(`${path} is created at the first start`)
  if ((found.mode & 0o077) !== 0)
    return fail(`${setting}: ${path} can be read by other users: set its mode to 600 (chmod 600)`)
  const mayRead = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
  if (!mayRead) return fail(`${setting}: ${path} cannot be read: give it to the user of the service (chown)`)
  await read(path)
  return ok(`${path} is readable, by its owner alone`)
}
