import { constants } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { misconfigured } from '../errors.ts'
import { readRecord } from './ledgerRecord.ts'

/** Path of a file of a ledger; the first has the path of the ledger. */
export const segmentPath = (path: string, number: number): string =>
  number === 0 ? path : `${path}.${number}`

/** Returns the numbers of the existing files of a ledger, ascending. */
export async function listSegments(path: string): Promise<number[]> {
  const names = await readdir(dirname(path)).catch((cause): string[] => {
    if (cause.code === 'ENOENT') return []
    throw refuse(path, `its folder cannot be listed (${cause.code})`, cause)
  })
  const first = basename(path)
  const numbers = names.flatMap((name) => {
    if (name === first) return [0]
    const match = name.startsWith(`${first}.`) ? /^[1-9][0-9]{0,8}$/.exec(name.slice(first.length + 1)) : null
    return match === null ? [] : [Number(match[0])]
  })
  return numbers.toSorted((a, b) => a - b)
}

/**
 * Opens a regular file that others cannot write, and no symbolic link: who chooses the file chooses the budget.
 * @throws ConfigurationError with the path and the reason
 */
export async function openLedgerFile(path: string, isWriter: boolean, isFirst: boolean): Promise<FileHandle> {
  const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  // A later file begins with a state, so none is created empty.
  const create = isFirst ? O_CREAT : 0
  const flags = (isWriter ? O_RDWR | O_APPEND | create : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK
  const file = await open(path, flags, 0o600).catch((cause) => {
    const isLink = cause.code === 'ELOOP'
    throw refuse(path, isLink ? 'is a symbolic link' : `cannot open the file (${cause.code})`, cause)
  })
  const info = await file.stat()
  const isShared = process.platform !== 'win32' && (info.mode & 0o002) !== 0
  if (info.isFile() && !isShared) return file
  await file.close()
  throw refuse(path, isShared ? 'every user can write the file; set its mode to 600' : 'is no regular file')
}

/** Creates the error of a ledger file that is not used. */
export const refuse = (path: string, reason: string, cause?: unknown) =>
  misconfigured(`ledger ${path}: ${reason}`, cause)

/** What was read of a file: its lines and bytes, and the position and the hash of the last line. */
type Read = { lines: number; offset: number; lastEnd: number; last: string | null }

/**
 * Checks that an open file is still the one at its path, so that no other file gives its budget a second time.
 * @throws ConfigurationError with what was opened and what is there
 */
export async function checkFile(
  file: FileHandle,
  name: string,
  { lines, offset, lastEnd, last }: Read,
): Promise<void> {
  const opened = await file.stat({ bigint: true })
  const placed = await stat(name, { bigint: true }).catch(() => null)
  const isSame = placed !== null && placed.ino === opened.ino && placed.dev === opened.dev
  const isWhole = opened.size >= offset && opened.nlink > 0n
  // Some file systems change the number of a file, and a copy may be written into the same one: what counts is our last
  // line at its place.
  const isEmpty = isSame && last === null
  if (isWhole && placed !== null && (isEmpty || (await holds(isSame ? file : name, lastEnd, last)))) return
  const there =
    placed === null
      ? 'no file is there now'
      : `the file that is there now has ${placed.size} bytes and lacks them`
  const fact = isSame && opened.size < offset ? `it has shrunk to ${opened.size} bytes` : there
  throw refuse(name, `${lines} lines in ${offset} bytes were read from it, and ${fact}. ${GO_ON}`)
}

const GO_ON =
  'Put the file back, or check the one that is there (ledger verify) and restart the program to go on with it'

/** Whether the line that ends at a position of a file has a hash. */
async function holds(file: FileHandle | string, end: number, hash: string | null): Promise<boolean> {
  if (typeof file === 'string') {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const opened = await open(file, flags).catch(() => null)
    return opened !== null && holds(opened, end, hash).finally(() => opened.close())
  }
  const expected = Buffer.from(`"hash":"${hash}"}\n`)
  const found = Buffer.alloc(expected.length)
  await file.read(found, 0, found.length, Math.max(0, end + 1 - found.length))
  return hash !== null && found.equals(expected)
}

const TAIL_BYTES = 1024 * 1024

/**
 * Checks that the file before, if it is still there, was sealed by the line that this one names.
 * @throws ConfigurationError
 */
export async function checkPredecessor(
  path: string,
  { number, name, after }: { number: number; name: string; after: () => string | null },
): Promise<void> {
  if (number === 0) return
  const before = segmentPath(path, number - 1)
  if (after() === null)
    throw refuse(name, `it does not begin with the state at the end of ${before}; restore the whole file`)
  const file = await open(before, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  // It may have been archived.
  if (file === null) return
  try {
    const { size } = await file.stat()
    // Lines that come after the seal do not count, however many they are.
    let isSealed = false
    for (let bytes = TAIL_BYTES; !isSealed && bytes < 4 * size + TAIL_BYTES; bytes *= 4) {
      const tail = Buffer.alloc(Math.min(size, bytes))
      await file.read(tail, 0, tail.length, size - tail.length)
      const lines = tail.toString('latin1').split('\n')
      isSealed = lines.some((line) => isSeal(line, after()))
    }
    if (!isSealed)
      throw refuse(
        name,
        `it does not continue ${before}, which was not sealed for it; a copy needs another name`,
      )
  } finally {
    await file.close()
  }
}

function isSeal(line: string, hash: string | null): boolean {
  if (!line.endsWith(`,"hash":"${hash}"}`)) return false
  return readRecord(line)?.type === 'seal'
}
