import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { readKeys } from '../../keys/keyFile.ts'
import { describeLost, type KeyFile, keyFilesOf } from '../../keys/lostKeys.ts'
import { codeOf, messageOf } from '../../lib/errors.ts'
import { readNoteKey } from '../../log/noteKeyFile.ts'
import { readShopperKey } from '../../shop/readShopperKey.ts'
import type { Published } from '../../store/log.ts'
import type { Role } from '../runProcesses.ts'
import { type Check, fail, ok, warn } from './finding.ts'

type PlacesConfig = Pick<Config, 'dataDir' | 'signingKeyFile' | 'log' | 'shopper'>

/** Reads which keys are published; undefined if that is not known. */
type ReadPublished = () => Promise<Published | undefined>

/**
 * Lists the checks of folders, key files and limits, without which a process must not start. Nothing is created.
 * @param readPublished is asked about a key whose file is missing; a start asks the store itself once that is open
 */
export function checkPlaces(
  config: PlacesConfig,
  role: Role,
  readPublished: ReadPublished = async () => undefined,
): Check[] {
  const { dataDir, shopper } = config
  const { decisions, log } = keyFilesOf(config)
  const checks: Check[] = [
    { name: 'data folder', run: () => checkFolder(resolve(dataDir)) },
    { name: 'open files', run: async () => describeFiles(readFileLimit()) },
    { name: 'signing key', run: () => checkKey(decisions, readKeys, readPublished) },
  ]
  // Only a process that crawls may lead, and write the log.
  if (role !== 'api') checks.push({ name: 'log key', run: () => checkKey(log, readNoteKey, readPublished) })
  if (shopper !== null)
    checks.push({
      name: 'shopper key',
      async run() {
        await readShopperKey(shopper.keyFile)
        return ok('readable, by its owner alone')
      },
    })
  return checks
}

/** Finds what is there: a path, or the folder above it that it would be created in. */
export async function nearest(path: string): Promise<string> {
  try {
    await stat(path)
    return path
  } catch (error) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')
    if (!isAbsent || dirname(path) === path) throw error
    return nearest(dirname(path))
  }
}

const mayUse = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  )

/** Types of file systems of the kernel, which take no files, though root may write in them: proc, sysfs, cgroup, devpts. */
const OF_KERNEL = [0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x1cd1]

const isOfKernel = async (path: string) =>
  statfs(path).then(
    ({ type }) => OF_KERNEL.includes(type),
    () => false,
  )

async function checkFolder(dataDir: string) {
  const unusable = (why: string) =>
    fail(`DATA_DIR ${dataDir} ${why}: choose a folder in which the user of the service may write`)
  const place = await nearest(dataDir).catch(() => undefined)
  if (place === undefined) return unusable('cannot be created')
  const found = await stat(place)
  if (!found.isDirectory()) return unusable(place === dataDir ? 'is a file' : 'is within a file')
  if (await isOfKernel(place)) return unusable('is on a file system that takes no files')
  if (!(await mayUse(place, constants.W_OK | constants.X_OK)))
    return unusable(place === dataDir ? 'is not writable' : `cannot be created in ${place}`)
  if (place !== dataDir) return ok(`${dataDir} can be created in ${place}`)
  if ((found.mode & 0o077) === 0) return ok(`${dataDir} is writable, by its owner alone`)
  return found.uid === process.getuid?.()
    ? warn(`${dataDir} is open to other users; the start sets its mode to 700`)
    : warn(`${dataDir} is open to other users and not ours: set its mode to 700`)
}

/** @param read parses the file. @throws Error that names the file and the fault */
async function checkKey(
  file: KeyFile,
  read: (path: string) => Promise<unknown>,
  readPublished: ReadPublished,
) {
  const { setting, path, use } = file
  const refuse = (why: string) => fail(`${setting}: ${path} ${why}`)
  const place = await nearest(path).catch(() => undefined)
  if (place === undefined) return refuse('cannot be read: give its folder to the user of the service (chown)')
  const found = await stat(place)
  if (place !== path) {
    if (!found.isDirectory()) return refuse(`cannot be created, since ${place} is a file`)
    if (await isOfKernel(place)) return refuse(`cannot be created, since ${place} takes no files`)
    if (!(await mayUse(place, constants.W_OK | constants.X_OK)))
      return refuse(`cannot be created, since ${place} is not writable`)
    if ((await readPublished())?.[use] === true) return fail(describeLost(file))
    return ok(`${path} is created at the first start`)
  }
  if (found.isDirectory()) return refuse('is a folder, and must be a file')
  if ((found.mode & 0o077) !== 0) return refuse('can be read by other users: set its mode to 600 (chmod 600)')
  if (!(await mayUse(path, constants.R_OK)))
    return refuse('cannot be read: give it to the user of the service (chown)')
  await read(path).catch((error: unknown) => {
    throw new Error(`${setting}: ${messageOf(error)}`, { cause: error })
  })
  return ok(`${path} is readable, by its owner alone`)
}

/** Minimum number of open files: each call, probe and connection of a proxy takes one. */
const LEAST_FILES = 1024

/** Reads how many files this process may open; `unlimited`, or undefined if the system does not tell. */
function readFileLimit(): number | string | undefined {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | string } }
  }
  return userLimits?.open_files?.soft
}

/** Judges how many files a process may open. */
export function describeFiles(limit: number | string | undefined) {
  if (typeof limit !== 'number') return ok('this process may open any number of files')
  if (limit >= LEAST_FILES) return ok(`this process may open ${limit} files`)
  return warn(
    `this process may open ${limit} files (ulimit -n), and its calls and probes need at least ${LEAST_FILES}: raise it, by LimitNOFILE of systemd or ulimits of compose`,
  )
}
