import { constants } from 'node:fs'
import { type FileHandle, link, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { misconfigured } from '../errors.ts'
import type { GuardEvent } from '../events.ts'
import { applyFact, type LedgerFact } from '../ledger/journal.ts'
import type { ReserveResult } from '../ledger/ledger.ts'
import { createLedgerState, type LedgerState, restoreState } from '../ledger/ledgerState.ts'
import {
  createChainCheck,
  holdsState,
  type LedgerRecord,
  readRecord,
  writeRecord,
  writeSnapshot,
} from './ledgerRecord.ts'
import { syncDirectory } from './syncDirectory.ts'

/** One file of a ledger, and the state that its lines lead to. */
export type LedgerSegment = Awaited<ReturnType<typeof openSegment>>

const CHUNK = 64 * 1024

/** Path of a file of a ledger; the first has the path of the ledger. */
const segmentPath = (path: string, number: number): string => (number === 0 ? path : `${path}.${number}`)

/** Returns the numbers of the existing files of a ledger, ascending. */
export async function listSegments(path: string): Promise<number[]> {
  const names = await readdir(dirname(path)).catch(() => [])
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
async function openLedgerFile(path: string, isWriter: boolean, isFirst: boolean): Promise<FileHandle> {
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

const refuse = (path: string, reason: string, cause?: unknown) =>
  misconfigured(`ledger ${path}: ${reason}`, cause)

/** Receives each valid line before it changes the state, and the result of each reservation. */
type Listener = (record: LedgerRecord, result?: ReserveResult) => void

/**
 * Opens a file of a ledger.
 * @param writer null only reads
 * @throws ConfigurationError if it cannot be opened
 */
export async function openSegment(path: string, number: number, writer: string | null, hear: Listener) {
  const name = segmentPath(path, number)
  const file = await openLedgerFile(name, writer !== null, number === 0)
  const chain = createChainCheck()
  /** Hashes of the own lines that count. */
  const applied = new Set<string>()
  let state = createLedgerState()
  let prev: string | null = null
  let last: string | null = null
  /** Position of the end of the last line. */
  let lastEnd = 0
  /** Hash of the seal that the snapshot names. */
  let after: string | null = null
  let seal: string | null = null
  let lines = 0
  let torn = 0
  let position = 0
  let fault: { line: number; reason: string } | null = null
  let offset = 0
  let rest = Buffer.alloc(0)
  const chunk = Buffer.allocUnsafe(CHUNK)

  const take = (line: string, isWhole = true): void => {
    try {
      const record = readRecord(line)
      if (!isWhole) return
      // A torn line was never acknowledged. A changed line leaves a gap in the chain.
      if (record === undefined) torn += 1
      else follow(record)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'not readable'
      fault = { line: position, reason }
      throw refuse(name, `${reason} (line ${position})`, cause)
    }
  }

  const follow = (record: LedgerRecord): void => {
    if (!chain.add(record)) throw new Error('lines are missing from the file')
    if (lines === 0 && number > 0) begin(record)
    last = record.hash
    lines += 1
    if (seal !== null) return
    hear(record)
    if (record.writer === writer) applied.add(record.hash)
    if (record.type === 'seal') seal = record.hash
    if (record.type === 'snapshot') state = restoreState(record.snapshot)
    const result = applyFact(state, record)
    if (result !== undefined) hear(record, result)
  }

  /** Checks the first line of a file that continues another. */
  const begin = (record: LedgerRecord): void => {
    const isSnapshot = record.type === 'snapshot' && (record.number ?? number) === number
    if (!isSnapshot)
      throw new Error(`it does not continue ${segmentPath(path, number - 1)}; a copy needs another name`)
    after = record.after
  }

  return {
    name,
    number,
    /** Returns the hash of the seal of the file before; null in the first. */
    after: () => after,
    state: () => state,
    lines: () => lines,
    /** Returns the number of torn and changed lines. */
    torn: () => torn + Math.sign(rest.length),
    /** Returns the hash of the seal, or null while the file is in use. */
    seal: () => seal,
    /** Returns the line that was refused, if any. */
    fault: () => fault,
    /** Reads newly appended lines. */
    async read(): Promise<void> {
      for (;;) {
        const { bytesRead, buffer } = await file.read(chunk, 0, CHUNK, offset)
        if (bytesRead === 0) {
          // Another process may be writing it.
          if (rest.length > 0) take(rest.toString(), false)
          return
        }
        const from = offset - rest.length
        offset += bytesRead
        rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
        let start = 0
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
          position += 1
          const before = last
          if (end > start) take(rest.toString('utf8', start, end))
          if (last !== before) lastEnd = from + end
          start = end + 1
        }
        rest = rest.subarray(start)
      }
    },
    /** Appends facts and reads up to them. Returns those that came after a seal and do not count. */
    async append(facts: readonly LedgerFact[]): Promise<LedgerFact[]> {
      const hashes: string[] = []
      // A line break before each line separates it from a torn line.
      let text = ''
      for (const fact of facts) {
        const { line, hash } = writeRecord({ ...fact, writer: String(writer), prev, seen: chain.head() })
        text += `\n${line}\n`
        prev = hash
        hashes.push(hash)
      }
      if (text !== '') await writeWhole(file, Buffer.from(text))
      await this.read()
      const isVoid = facts.filter((_, index) => !applied.has(hashes[index] ?? ''))
      applied.clear()
      return isVoid
    },
    /**
     * Checks that the open file is still the one at the path, so that no other file gives its budget a second time.
     * @throws ConfigurationError with what was opened and what is there
     */
    async checkPlace(): Promise<void> {
      const opened = await file.stat({ bigint: true })
      const placed = await stat(name, { bigint: true }).catch(() => null)
      const isSame = placed !== null && placed.ino === opened.ino && placed.dev === opened.dev
      const isWhole = opened.size >= offset && opened.nlink > 0n
      // Some file systems change the number of a file, so one with our last line at its place is ours.
      if (isWhole && (isSame || (placed !== null && (await holds(name, lastEnd, last))))) return
      const there =
        placed === null
          ? 'no file is there now'
          : `the file that is there now has ${placed.size} bytes and lacks them`
      const fact = isSame ? `it has shrunk to ${opened.size} bytes` : there
      throw refuse(name, `${lines} lines in ${offset} bytes were read from it, and ${fact}. ${GO_ON}`)
    },
    close: () => file.close(),
  }
}

const GO_ON =
  'Put the file back, or check the one that is there (ledger verify) and restart the program to go on with it'

/** Whether the line that ends at a position of a file has a hash. */
async function holds(name: string, end: number, hash: string | null): Promise<boolean> {
  const expected = Buffer.from(`"hash":"${hash}"}\n`)
  const file = await open(name, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  )
  try {
    const found = Buffer.alloc(expected.length)
    await file?.read(found, 0, found.length, Math.max(0, end + 1 - found.length))
    return hash !== null && found.equals(expected)
  } finally {
    await file?.close()
  }
}

const TAIL_BYTES = 1024 * 1024

/**
 * Checks that the file before, if it is still there, was sealed by the line that this one names.
 * @throws ConfigurationError
 */
export async function checkPredecessor(path: string, { number, name, after }: LedgerSegment): Promise<void> {
  if (number === 0) return
  const before = segmentPath(path, number - 1)
  if (after() === null)
    throw refuse(name, `it does not begin with the state at the end of ${before}; restore the whole file`)
  const file = await open(before, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  // It may have been archived.
  if (file === null) return
  try {
    const { size } = await file.stat()
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
    await file.read(tail, 0, tail.length, size - tail.length)
    // Lines that come after the seal do not count.
    const isSealed = tail
      .toString('latin1')
      .split('\n')
      .some((line) => isSeal(line, after()))
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

/**
 * Creates the file that continues a sealed one. Any number of processes may do so at once: the first file that is
 * complete stays, and all of them would be equal.
 */
export async function continueSegment(path: string, sealed: LedgerSegment, writer: string): Promise<void> {
  const after = sealed.seal()
  if (after === null) throw new Error('The file is not sealed.')
  const next = segmentPath(path, sealed.number + 1)
  const { line } = writeSnapshot(after, sealed.number + 1, sealed.state())
  const draft = `${next}.${writer}.tmp`
  try {
    await writeFile(draft, `${line}\n`, { mode: 0o600, flush: true })
    // A link, since unlike a rename it never replaces a file that another process has begun to use.
    await link(draft, next).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  await syncDirectory(dirname(next))
}

// One write call per batch keeps lines of several processes apart. A short write means a full disk.
async function writeWhole(file: FileHandle, data: Buffer): Promise<void> {
  const { bytesWritten } = await file.write(data)
  if (bytesWritten !== data.length) throw new Error('The disk is full.')
  // The reservation counts from here on.
  await file.datasync()
}

/**
 * Result of {@link verifyLedger}.
 * @example
 * const summary = ({ ok, lines }: LedgerCheck) => (ok ? `${lines} lines` : 'broken')
 */
export type LedgerCheck = {
  /** Whether no line is missing or changed. */
  ok: boolean
  /** Number of files: the ledger seals one every 20,000 lines and continues in the next. */
  files: number
  lines: number
  /** Torn lines, which a crash leaves, and changed lines, which also make `ok` false. */
  unreadable: number
  /** Number of processes that have written. */
  writers: number
  /** File of the first line after a gap, or that is refused; null without. */
  brokenIn: string | null
  /** Number of that line, from 1; null without gaps. */
  brokenAt: number | null
  /** Each gap in one sentence; null without gaps. */
  reason: string | null
  events: GuardEvent[]
}

/**
 * Reads the files of a ledger up to the first fault, checks their hash chains, and that each begins with the state at
 * the end of the one before. A truncated end is not detectable, and neither are missing files before the first.
 * @throws Error if there is no file; ConfigurationError if a file is a link, is not regular, or is open to others
 * @example
 * const { ok, brokenAt } = await verifyLedger('spending.jsonl')
 */
export async function verifyLedger(path: string): Promise<LedgerCheck> {
  return readLedger(path, () => {})
}

/**
 * Checks a ledger as {@link verifyLedger} does.
 * @param hear receives each valid line with the state before it; and each reservation again, with its result and
 * the state after it
 */
export async function readLedger(
  path: string,
  hear: (record: LedgerRecord, state: LedgerState, result?: ReserveResult) => void,
): Promise<LedgerCheck> {
  const numbers = await listSegments(path)
  if (numbers.length === 0) throw new Error('The ledger has no file.')
  const writers = new Set<string>()
  const check: LedgerCheck = {
    ...{ ok: true, files: numbers.length, lines: 0, unreadable: 0, writers: 0 },
    ...{ brokenIn: null, brokenAt: null, reason: null, events: [] },
  }
  let before: LedgerSegment | null = null
  for (const number of numbers) {
    const sealed: LedgerSegment | null = before?.number === number - 1 ? before : null
    const segment: LedgerSegment = await openSegment(path, number, null, (record, result) => {
      if (record.type === 'snapshot') {
        if (sealed !== null && (record.after !== sealed.seal() || !holdsState(record, sealed.state())))
          throw new Error('not the state at the end before')
      } else writers.add(record.writer)
      if (record.type === 'event' && record.count === undefined) check.events.push(record.event)
      hear(record, segment.state(), result)
    })
    await segment.read().catch((error: unknown) => {
      const fault = segment.fault()
      if (fault === null) throw error
      const { line: brokenAt, reason } = fault
      Object.assign(check, { ok: false, brokenIn: segment.name, brokenAt, reason })
    })
    await segment.close()
    check.lines += segment.lines()
    check.unreadable += segment.torn()
    if (!check.ok) break
    before = segment
  }
  return { ...check, writers: writers.size }
}
