import { randomBytes } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { checkBudget } from '../decide/budget.ts'
import { ConfigurationError } from '../errors.ts'
import type { Ledger, ReserveResult } from '../ledger/ledger.ts'
import {
  addEntry,
  applyUpdate,
  createLedgerState,
  type LedgerState,
  pendingOf,
  totalsOf,
  viewState,
} from '../ledger/ledgerState.ts'
import {
  createChainCheck,
  type LedgerFact,
  type LedgerRecord,
  readRecord,
  writeRecord,
} from './ledgerRecord.ts'

/** A ledger in a file. */
export type FileLedger = Ledger & {
  /** Waits for everything that was noted to be on disk, and closes the file. */
  close(): Promise<void>
}

/**
 * Opens a ledger that survives a crash and that processes of one machine may share.
 *
 * A reservation is on disk before it counts, so it is there before anything is signed. There is no lock that a
 * killed process could leave behind: every process appends, then reads what stands before its own line, and the
 * order of the file decides who was within the budget. The file has to be on a local disk.
 * @throws ConfigurationError when the file cannot be opened, or when lines are missing from it
 */
export async function createFileLedger(path: string): Promise<FileLedger> {
  const file = await open(path, 'a+', 0o600).catch((cause) => {
    throw new ConfigurationError('CONFIGURATION', { details: 'ledger: the file cannot be opened', cause })
  })
  const writer = randomBytes(8).toString('hex')
  const reader = createReader(file, writer)
  try {
    await reader.read()
  } catch (error) {
    await file.close()
    throw error
  }
  return createLedger(file, reader, writer)
}

function createLedger(file: FileHandle, reader: Reader, writer: string): FileLedger {
  const { state } = reader
  let count = 0
  let prev: string | null = null
  let queue: LedgerFact[] = []
  let flushing: Promise<void> = Promise.resolve()
  // After a write whose end is not known, this process cannot say what its chain is any more: it pays no more.
  let failure: { cause: unknown } | null = null

  const flush = async (): Promise<void> => {
    if (failure !== null) throw new Error('The ledger could not be written before.', failure)
    try {
      await writeQueue()
      await reader.read()
    } catch (cause) {
      failure = { cause }
      throw cause
    }
  }

  const writeQueue = async (): Promise<void> => {
    const facts = queue
    queue = []
    if (facts.length === 0) return
    // The line break before each line keeps what a crash has torn apart from what follows it.
    let text = ''
    for (const fact of facts) {
      const { line, hash } = writeRecord({ ...fact, writer, prev, seen: reader.last() })
      text += `\n${line}\n`
      prev = hash
    }
    await writeWhole(file, Buffer.from(text))
    // Not before this has an amount been reserved.
    await file.datasync()
  }

  /** Everything that waits while one flush runs goes out with the next one. */
  const append = (fact: LedgerFact | null): Promise<void> => {
    if (fact !== null) queue.push(fact)
    const next = flushing.catch(() => {}).then(flush)
    flushing = next
    return next
  }

  return {
    refresh: () => append(null),
    view: (query, limits, now) => viewState(state, query, limits, now),
    async reserve(request, limits) {
      count += 1
      const id = `${writer}-${count}`
      await append({ type: 'reserve', id, request, limits })
      const result = reader.takeResult(id)
      if (result === undefined) throw new Error('The reservation cannot be read back.')
      return result
    },
    update: (id, change) => append({ type: 'update', id, change }),
    note(event) {
      // A failure is remembered, and the next reservation says it.
      append({ type: 'event', event }).catch(() => {})
    },
    pending: () => pendingOf(state),
    totals: () => totalsOf(state),
    async close() {
      await append(null)
      await file.close()
    },
  }
}

type Reader = {
  state: LedgerState
  /** Takes in what was appended since the last time. */
  read(): Promise<void>
  /** The hash of the last line. */
  last(): string | null
  takeResult(id: string): ReserveResult | undefined
}

const CHUNK = 64 * 1024

function createReader(file: FileHandle, writer: string): Reader {
  const state = createLedgerState()
  const chain = createChainCheck()
  const results = new Map<string, ReserveResult>()
  let offset = 0
  let rest = Buffer.alloc(0)
  let last: string | null = null

  const take = (line: string): void => {
    const record = readRecord(line)
    // A torn line was never acknowledged. One that was changed is missed by those that follow it.
    if (record === undefined) return
    if (!chain.accept(record)) {
      throw new ConfigurationError('CONFIGURATION', { details: 'ledger: lines are missing from the file' })
    }
    last = record.hash
    const result = applyRecord(state, record)
    if (record.type === 'reserve' && record.writer === writer && result !== null)
      results.set(record.id, result)
  }

  return {
    state,
    last: () => last,
    takeResult(id) {
      const result = results.get(id)
      results.delete(id)
      return result
    },
    async read() {
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, offset)
        if (bytesRead === 0) return
        offset += bytesRead
        rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
          if (end > 0) take(rest.toString('utf8', 0, end))
          rest = rest.subarray(end + 1)
        }
      }
    },
  }
}

/** Applies one line to a state; for a reservation, whether it was within the limits that it names. */
export function applyRecord(state: LedgerState, record: LedgerRecord): ReserveResult | null {
  if (record.type === 'update') applyUpdate(state, record.id, record.change)
  if (record.type !== 'reserve') return null
  const { id, request, limits } = record
  const code = checkBudget(limits, viewState(state, request, limits, request.at), request.usdMicros)
  if (code !== null) return { ok: false, code }
  addEntry(state, id, request)
  return { ok: true, id }
}

// One write call a batch, so that lines of several processes do not mix; a disk that takes less than all is full.
async function writeWhole(file: FileHandle, data: Buffer): Promise<void> {
  const { bytesWritten } = await file.write(data)
  if (bytesWritten !== data.length) throw new Error('The disk took only a part of the line.')
}
