import { randomBytes } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { ConfigurationError } from '../errors.ts'
import type { Ledger, LedgerUpdate, ReserveResult } from '../ledger/ledger.ts'
import {
  applyUpdate,
  clearHost,
  createLedgerState,
  pendingOf,
  pinsOf,
  reserveEntry,
  strikesOf,
  totalsOf,
  viewState,
} from '../ledger/ledgerState.ts'
import { endsRetries, findPending } from '../ledger/pending.ts'
import { createChainCheck, type LedgerFact, readRecord, writeRecord } from './ledgerRecord.ts'
import { createPaymentFiles, type PaymentFiles } from './paymentFiles.ts'

/**
 * A ledger in a file.
 * @example
 * const ledger: FileLedger = await createFileLedger('spending.jsonl')
 * await ledger.close()
 */
export type FileLedger = Ledger & {
  /** Flushes pending records and closes the file. */
  close(): Promise<void>
}

/**
 * Opens a ledger that survives a crash and can be shared by the processes of one machine.
 *
 * A reservation is flushed to disk before anything is signed. There is no lock that a killed process could leave
 * behind: each process appends, then reads the lines before its own, and their order decides which reservations are
 * within the budget. The file must be on a local disk.
 * @throws ConfigurationError if the file cannot be opened or lines are missing
 * @example
 * const guard = createGuard({ ledger: await createFileLedger('spending.jsonl') })
 */
export async function createFileLedger(path: string): Promise<FileLedger> {
  const file = await open(path, 'a+', 0o600).catch((cause) => {
    throw new ConfigurationError('CONFIGURATION', { details: 'ledger: cannot open the file', cause })
  })
  const writer = randomBytes(8).toString('hex')
  const reader = createReader(file, writer)
  try {
    await reader.read()
  } catch (error) {
    await file.close()
    throw error
  }
  return createLedger(file, reader, writer, createPaymentFiles(path))
}

function createLedger(file: FileHandle, reader: Reader, writer: string, payments: PaymentFiles): FileLedger {
  const { state } = reader
  let count = 0
  let prev: string | null = null
  let queue: LedgerFact[] = []
  let flushing: Promise<void> = Promise.resolve()
  // After a failed write the end of the own chain is unknown, so this process refuses all further payments.
  let failure: { cause: unknown } | null = null

  const flush = async (): Promise<void> => {
    if (failure !== null) throw new Error('An earlier ledger write failed.', failure)
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
    // A line break before each line separates it from a torn line.
    let text = ''
    for (const fact of facts) {
      const { line, hash } = writeRecord({ ...fact, writer, prev, seen: reader.last() })
      text += `\n${line}\n`
      prev = hash
    }
    await writeWhole(file, Buffer.from(text))
    // The reservation counts from here on.
    await file.datasync()
  }

  /** Queues a fact for the next flush; facts queued during a flush form one batch. */
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
      if (result === undefined) throw new Error('Cannot read back the reservation.')
      return result
    },
    async update(id, change) {
      if ('payment' in change) {
        const { payment, ...rest } = change
        // Before the record: a payment that counts as sent can always be sent again.
        if (payment !== undefined) await payments.write(id, payment)
        return append({ type: 'update', id, change: rest satisfies LedgerUpdate })
      }
      await append({ type: 'update', id, change })
      if (endsRetries(change)) await payments.erase(id)
    },
    find: (id) => state.entries.get(id),
    findPending: (query, now) => findPending(state.pending, query, now),
    readPayment: (id) => payments.read(id),
    strikes: () => strikesOf(state),
    pins: () => pinsOf(state),
    clear: (what, host) => append({ type: 'clear', what, host }),
    note(event) {
      // The next reservation reports the failure.
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

type Reader = ReturnType<typeof createReader>

const CHUNK = 64 * 1024

function createReader(file: FileHandle, writer: string) {
  const state = createLedgerState()
  const isNext = createChainCheck()
  const results = new Map<string, ReserveResult>()
  let offset = 0
  let rest = Buffer.alloc(0)
  let last: string | null = null

  const take = (line: string): void => {
    const record = readRecord(line)
    // A torn line was never acknowledged. A changed line leaves a gap in the chain.
    if (record === undefined) return
    if (!isNext(record)) {
      throw new ConfigurationError('CONFIGURATION', { details: 'ledger: lines are missing from the file' })
    }
    last = record.hash
    if (record.type === 'update') applyUpdate(state, record.id, record.change)
    if (record.type === 'clear') clearHost(state, record.what, record.host)
    if (record.type !== 'reserve') return
    const result = reserveEntry(state, record.id, record.request, record.limits)
    if (record.writer === writer) results.set(record.id, result)
  }

  return {
    state,
    /** Returns the hash of the last line. */
    last: () => last,
    takeResult(id: string): ReserveResult | undefined {
      const result = results.get(id)
      results.delete(id)
      return result
    },
    /** Reads newly appended lines. */
    async read(): Promise<void> {
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

// One write call per batch keeps lines of several processes apart. A short write means a full disk.
async function writeWhole(file: FileHandle, data: Buffer): Promise<void> {
  const { bytesWritten } = await file.write(data)
  if (bytesWritten !== data.length) throw new Error('The disk is full.')
}
