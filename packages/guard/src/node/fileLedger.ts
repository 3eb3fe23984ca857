import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isGuardError } from '../errors.ts'
import { hasEnded } from '../ledger/applyUpdate.ts'
import { createEventFilter } from '../ledger/eventFilter.ts'
import { createJournalLedger, type LedgerFact, type Write } from '../ledger/journal.ts'
import type { Ledger, ReserveResult, StoredPayment } from '../ledger/ledger.ts'
import { createBatch } from './batch.ts'
import { checkPredecessor, listSegments, segmentPath } from './ledgerPlace.ts'
import { continueSegment, type LedgerSegment, openSegment } from './ledgerSegment.ts'

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
  const stop = createStopFile(join(dirname(path), 'STOP'))
  const payments = createPaymentFiles(path)
  /** Results of the own reservations, by id. */
  const results = new Map<string, ReserveResult>()
  const open = (number: number) =>
    readSegment(path, number, writer, (record, result) => {
      if (record.type === 'reserve' && result && record.writer === writer) results.set(record.id, result)
    })
  let segment = await open((await listSegments(path)).at(-1) ?? 0)
  // After a failed write the end of the own chain is unknown, so this process refuses all further payments.
  let failure: { cause: unknown } | null = null

  const flush = async (writes: Write[]): Promise<void> => {
    if (failure !== null) throw new Error('An earlier ledger write failed.', failure)
    const isReserve = ({ fact }: Write) => fact.type === 'reserve'
    const isStopped = writes.some(isReserve) && (await stop.exists())
    const spends = writes.some(({ fact }) => isReserve({ fact }) || isLeaving(fact))
    try {
      // Also before what spends nothing: its line would stand in a file that lacks those before it.
      if (writes.length > 0) await checkPlace()
      // Before the records: a payment that counts as sent can always be sent again.
      for (const { payment } of writes) if (payment?.store) await payments.write(payment.id, payment.store)
      await write(writes.filter((one) => !isStopped || !isReserve(one)).map(({ fact }) => fact))
      // Once more, since a copy may have been put in its place, which lacks what was written.
      if (spends) await checkPlace()
      if (segment.lines() >= MAX_LINES) await write([{ type: 'seal' }])
    } catch (cause) {
      // A file that was put back goes on.
      if (!isGuardError(cause)) failure = { cause }
      throw cause
    }
    for (const { fact, payment, done } of writes) {
      if (payment?.store === null && hasEnded(segment.state(), payment.id)) await payments.erase(payment.id)
      if (fact.type !== 'reserve') continue
      const result = isStopped ? ({ ok: false, code: 'STOPPED' } as const) : results.get(fact.id)
      results.delete(fact.id)
      if (result !== undefined) done?.(result)
    }
  }

  /** Checks the place of the file, unless it is sealed: then another program may have moved it away. */
  const checkPlace = async (): Promise<void> => {
    await segment.checkPlace().catch(async (error: unknown) => {
      await segment.read()
      if (segment.seal() === null) throw error
    })
  }

  /** Appends facts; those that came after a seal are written again to the next file. */
  const write = async (facts: LedgerFact[]): Promise<void> => {
    let rest = await segment.append(facts)
    while (segment.seal() !== null) {
      const sealed = segment
      segment = await open(await nextNumber(path, sealed, writer))
      await sealed.close()
      rest = await segment.append(rest.filter(({ type }) => type !== 'seal'))
    }
  }

  const append = createBatch(flush)
  const ledger = createJournalLedger({
    idPrefix: `${writer}-`,
    state: () => segment.state(),
    append,
    countEvent: createEventFilter(),
    readPayment: payments.read,
    setStopped: stop.set,
    isStopped: stop.exists,
  })
  return {
    ...ledger,
    compact: () => append({ fact: { type: 'seal' } }),
    async close() {
      // Also after a failed write, so that no descriptor is left open.
      await append(null).finally(() => segment.close())
    },
  }
}

/** Returns the number of the file to go on with after a sealed one. Creates it, unless others have gone on. */
async function nextNumber(path: string, sealed: LedgerSegment, writer: string): Promise<number> {
  const next = sealed.number + 1
  const isLast = ((await listSegments(path)).at(-1) ?? 0) < next
  const isOurs = isLast && (await continueSegment(path, sealed, writer))
  // Others may have gone on for several files meanwhile, and the next one may have been archived.
  const last = (await listSegments(path)).at(-1) ?? next
  if (isOurs && last > next) await rm(segmentPath(path, next))
  return last
}

async function readSegment(...[path, number, writer, hear]: Parameters<typeof openSegment>) {
  const segment = await openSegment(path, number, writer, hear)
  try {
    await segment.read()
    await checkPredecessor(path, segment)
    return segment
  } catch (error) {
    await segment.close()
    throw error
  }
}

/** Whether a signature or a payment leaves by a fact. */
const isLeaving = (fact: LedgerFact): boolean =>
  fact.type === 'update' && 'state' in fact.change && /^(handedOut|sent)$/.test(fact.change.state)

/** Creates a switch that all processes of one machine share, and that a person can set without a program. */
function createStopFile(path: string) {
  return {
    async exists(): Promise<boolean> {
      // A switch that cannot be read counts as set.
      return stat(path).then(
        () => true,
        ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
      )
    },
    /** Creates or removes the file. */
    async set(isStopped: boolean): Promise<void> {
      if (!isStopped) return rm(path, { force: true })
      await writeFile(path, '', { flag: 'a', mode: 0o600, flush: true })
    },
  }
}

/**
 * Creates a store of signed payments: one file of mode 600 each, beside the ledger,
 * whose lines can never be erased.
 * @param ledgerPath path of the ledger file
 */
function createPaymentFiles(ledgerPath: string) {
  const folder = `${ledgerPath}.payments`
  const pathOf = (id: string) => join(folder, `${id}.json`)
  return {
    /** Writes a payment to disk. */
    async write(id: string, payment: StoredPayment): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(pathOf(id), JSON.stringify(payment), { mode: 0o600, flush: true })
    },
    /** Returns a payment; null if it is missing or torn. */
    read: (id: string): Promise<StoredPayment | null> =>
      readFile(pathOf(id), 'utf8')
        .then((text) => JSON.parse(text))
        .catch(() => null),
    /** Erases a payment, if any. */
    erase: (id: string): Promise<void> => rm(pathOf(id), { force: true }),
  }
}
