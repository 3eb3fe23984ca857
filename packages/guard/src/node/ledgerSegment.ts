import { type FileHandle, link, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { LedgerFact } from '../ledger/journal.ts'
import type { ReserveResult } from '../ledger/ledger.ts'
import { createLedgerState } from '../ledger/ledgerState.ts'
import { restoreState } from '../ledger/snapshot.ts'
import { checkFile, openLedgerFile, refuse, segmentPath } from './ledgerPlace.ts'
import {
  applyRecord,
  createChainCheck,
  type LedgerRecord,
  readRecord,
  writeRecord,
  writeSnapshot,
} from './ledgerRecord.ts'
import { syncDirectory } from './syncDirectory.ts'

/** One file of a ledger, and the state that its lines lead to. */
export type LedgerSegment = Awaited<ReturnType<typeof openSegment>>

const CHUNK = 64 * 1024

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
  /** The begin of a line whose end is not read yet, as it was read. */
  let rest: Buffer[] = []
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
    const result = applyRecord(state, record)
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
    torn: () => torn + Math.sign(lengthOf(rest)),
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
          if (lengthOf(rest) > 0) take(Buffer.concat(rest).toString(), false)
          return
        }
        const added = Buffer.from(buffer.subarray(0, bytesRead))
        offset += bytesRead
        rest.push(added)
        // A long line is put together once.
        if (!added.includes(10)) continue
        const whole = Buffer.concat(rest)
        const from = offset - whole.length
        let start = 0
        for (let end = whole.indexOf(10); end >= 0; end = whole.indexOf(10, start)) {
          position += 1
          const before = last
          if (end > start) take(whole.toString('utf8', start, end))
          if (last !== before) lastEnd = from + end
          start = end + 1
        }
        rest = [whole.subarray(start)]
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
      await checkFile(file, name, { lines, offset, lastEnd, last })
    },
    close: () => file.close(),
  }
}

const lengthOf = (parts: readonly Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0)

/**
 * Creates the file that continues a sealed one. Any number of processes may do so at once: the first file that is
 * complete stays, and all of them would be equal. Returns whether the own one stays.
 */
export async function continueSegment(path: string, sealed: LedgerSegment, writer: string): Promise<boolean> {
  const after = sealed.seal()
  if (after === null) throw new Error('The file is not sealed.')
  const next = segmentPath(path, sealed.number + 1)
  const { line } = writeSnapshot(after, sealed.number + 1, sealed.state())
  const draft = `${next}.${writer}.tmp`
  let isOurs = true
  try {
    await writeFile(draft, `${line}\n`, { mode: 0o600, flush: true })
    // A link, since unlike a rename it never replaces a file that another process has begun to use.
    await link(draft, next).catch((error) => {
      if (error.code !== 'EEXIST') throw error
      isOurs = false
    })
  } finally {
    await rm(draft, { force: true })
  }
  await syncDirectory(dirname(next))
  return isOurs
}

// One write call per batch keeps lines of several processes apart. A short write means a full disk.
async function writeWhole(file: FileHandle, data: Buffer): Promise<void> {
  const { bytesWritten } = await file.write(data)
  if (bytesWritten !== data.length) throw new Error('The disk is full.')
  // The reservation counts from here on.
  await file.datasync()
}
