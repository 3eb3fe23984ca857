import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Ledger, LedgerUpdate } from '../ledger/ledger.ts'
import { createLedgerReader } from '../ledger/ledgerState.ts'
import { endsRetries } from '../ledger/pending.ts'
import { createBatch } from './batch.ts'
import type { LedgerFact } from './ledgerRecord.ts'
import {
  continueSegment,
  type LedgerSegment,
  listSegments,
  openSegment,
  type Results,
} from './ledgerSegment.ts'
import { createPaymentFiles } from './paymentFiles.ts'
import { createStopFile } from './stopFile.ts'

/**
 * A ledger in a file.
 * @example
 * const ledger: FileLedger = await createFileLedger('spending.jsonl')
 * await ledger.close()
 */
export type FileLedger = Ledger & {
  /**
   * Seals the file and begins the next one (`spending.jsonl.1`) with a snapshot. Happens by itself every 20,000 lines.
   * Sealed files are needed for audits only.
   */
  compact(): Promise<void>
  /** Flushes pending records and closes the file. */
  close(): Promise<void>
}

/** Number of lines after which a file is sealed. Reading one takes about 20 µs. */
const MAX_LINES = 20_000

/**
 * Opens a ledger that survives a crash and can be shared by the processes of one machine.
 *
 * A reservation is flushed to disk before anything is signed. There is no lock that a killed process could leave
 * behind: each process appends, then reads the lines before its own, and their order decides which reservations are
 * within the budget. The file must be on a local disk. A file `STOP` beside it stops the payments of all of them.
 * @throws ConfigurationError if the file cannot be opened or lines are missing
 * @example
 * const guard = createGuard({ ledger: await createFileLedger('spending.jsonl') })
 */
export async function createFileLedger(path: string): Promise<FileLedger> {
  const writer = randomBytes(8).toString('hex')
  const results: Results = new Map()
  const open = (number: number) => readSegment(path, number, writer, results)
  return createLedger(path, writer, results, open, await open((await listSegments(path)).at(-1) ?? 0))
}

async function readSegment(...file: Parameters<typeof openSegment>): Promise<LedgerSegment> {
  const segment = await openSegment(...file)
  try {
    await segment.read()
    return segment
  } catch (error) {
    await segment.close()
    throw error
  }
}

function createLedger(
  path: string,
  writer: string,
  results: Results,
  open: (number: number) => Promise<LedgerSegment>,
  newest: LedgerSegment,
): FileLedger {
  const stop = createStopFile(join(dirname(path), 'STOP'))
  const payments = createPaymentFiles(path)
  let segment = newest
  let count = 0
  // After a failed write the end of the own chain is unknown, so this process refuses all further payments.
  let failure: { cause: unknown } | null = null

  const flush = async (facts: LedgerFact[]): Promise<void> => {
    if (failure !== null) throw new Error('An earlier ledger write failed.', failure)
    try {
      await write(facts)
      if (segment.lines() >= MAX_LINES) await write([{ type: 'seal' }])
    } catch (cause) {
      failure = { cause }
      throw cause
    }
  }

  /** Appends facts; those that came after a seal are written again to the next file. */
  const write = async (facts: LedgerFact[]): Promise<void> => {
    let rest = await segment.append(facts)
    while (segment.seal() !== null) {
      await advance()
      rest = await segment.append(rest.filter(({ type }) => type !== 'seal'))
    }
  }

  const advance = async (): Promise<void> => {
    const sealed = segment
    await continueSegment(path, sealed, writer)
    segment = await open(sealed.number + 1)
    await sealed.close()
  }

  const append = createBatch(flush)

  return {
    ...createLedgerReader(() => segment.state()),
    refresh: () => append(null),
    async reserve(request, limits) {
      if (await stop.exists()) return { ok: false, code: 'STOPPED' }
      count += 1
      const id = `${writer}-${count}`
      await append({ type: 'reserve', id, request, limits })
      const result = results.get(id)
      results.delete(id)
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
    readPayment: (id) => payments.read(id),
    clear: (what, host) => append({ type: 'clear', what, host }),
    note(event) {
      // The next reservation reports the failure.
      append({ type: 'event', event }).catch(() => {})
    },
    setStopped: stop.set,
    isStopped: stop.exists,
    compact: () => append({ type: 'seal' }),
    async close() {
      await append(null)
      await segment.close()
    },
  }
}
