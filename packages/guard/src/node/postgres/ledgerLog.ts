import { ConfigurationError } from '../../errors.ts'
import { applyFact, type LedgerFact, type Write } from '../../ledger/journal.ts'
import { createLedgerState, type LedgerState } from '../../ledger/ledgerState.ts'
import { restoreState, takeSnapshot } from '../../ledger/snapshot.ts'
import { readRecord, writeRecord } from '../ledgerRecord.ts'
import type { Database, Queries } from './database.ts'

/** Options of {@link createLedgerLog}. */
export type LogOptions = {
  name: string
  /** Dates reservations by the clock of the database instead of the caller's. */
  useDatabaseClock: boolean
  /** Number of lines after which a snapshot is stored. */
  snapshotLines: number
}

type Head = { seq: string; head: string | null; stopped: boolean; now: string }
type Line = { seq: string; line: string }

/**
 * Creates the log of one ledger and a copy of its state. A write locks the ledger's row, takes in what others have
 * written, checks each reservation against that state, appends the accepted facts, and commits: all in one transaction.
 */
export function createLedgerLog(database: Database, options: LogOptions) {
  const { name, useDatabaseClock, snapshotLines } = options
  let state: LedgerState = createLedgerState()
  let seq = 0n
  let head: string | null = null
  let snapshotSeq = 0n
  // After a fault the own state may hold facts that were not committed.
  let isStale = true

  const load = async (client: Queries): Promise<void> => {
    const { rows } = await client.query<Line>(
      'SELECT seq, line FROM touchstone_guard.snapshot WHERE name = $1',
      [name],
    )
    const record = rows[0] === undefined ? undefined : readRecord(rows[0].line)
    if (rows[0] !== undefined && record?.type !== 'snapshot') throw broken()
    state = record?.type === 'snapshot' ? restoreState(record.snapshot) : createLedgerState()
    head = record?.type === 'snapshot' ? record.after : null
    seq = BigInt(rows[0]?.seq ?? 0)
    snapshotSeq = seq
    isStale = false
  }

  const read = async (client: Queries): Promise<void> => {
    if (isStale) await load(client)
    const { rows } = await client.query<Line>(
      'SELECT seq, line FROM touchstone_guard.line WHERE name = $1 AND seq > $2 ORDER BY seq',
      [name, seq.toString()],
    )
    for (const row of rows) {
      const record = readRecord(row.line)
      if (record === undefined || record.prev !== head || BigInt(row.seq) !== seq + 1n) throw broken()
      applyFact(state, record)
      head = record.hash
      seq += 1n
    }
  }

  /** Adds a fact to the own state. Returns its line, or null if it is a refused reservation. */
  const add = (write: Write, { stopped, now }: Head, results: (() => void)[]): string | null => {
    const fact = useDatabaseClock ? atTime(write.fact, Number(now)) : write.fact
    const result = applyFact(state, fact, stopped)
    if (result !== undefined) results.push(() => write.done?.(result))
    if (result?.ok === false) return null
    const { line, hash } = writeRecord({ ...fact, writer: 'ledger', prev: head, seen: null })
    head = hash
    seq += 1n
    return line
  }

  const append = async (client: Queries, writes: readonly Write[]): Promise<(() => void)[]> => {
    const locked = await client.query<Head>(
      `SELECT seq, head, stopped, floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now
       FROM touchstone_guard.ledger WHERE name = $1 FOR UPDATE`,
      [name],
    )
    const [row] = locked.rows
    if (row === undefined) throw broken()
    await read(client)
    if (BigInt(row.seq) !== seq || row.head !== head) throw broken()
    const results: (() => void)[] = []
    const first = seq + 1n
    const lines = writes.flatMap((write) => add(write, row, results) ?? [])
    await store(client, first, lines)
    for (const { payment } of writes) if (payment !== undefined) await keep(client, payment)
    return results
  }

  const store = async (client: Queries, first: bigint, lines: readonly string[]): Promise<void> => {
    if (lines.length === 0) return
    await client.query(
      `INSERT INTO touchstone_guard.line (name, seq, line)
       SELECT $1, $2::bigint + place - 1, line FROM unnest($3::text[]) WITH ORDINALITY AS given (line, place)`,
      [name, first.toString(), lines],
    )
    await client.query('UPDATE touchstone_guard.ledger SET seq = $2, head = $3 WHERE name = $1', [
      name,
      seq.toString(),
      head,
    ])
    if (seq - snapshotSeq < BigInt(snapshotLines)) return
    const snapshot = { type: 'snapshot', after: head ?? '', snapshot: takeSnapshot(state) } as const
    const { line } = writeRecord({ ...snapshot, writer: 'snapshot', prev: null, seen: null })
    await client.query(
      `INSERT INTO touchstone_guard.snapshot (name, seq, line) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, line = excluded.line`,
      [name, seq.toString(), line],
    )
    snapshotSeq = seq
  }

  const keep = (client: Queries, { id, store }: NonNullable<Write['payment']>) =>
    store === null
      ? client.query('DELETE FROM touchstone_guard.payment WHERE name = $1 AND id = $2', [name, id])
      : client.query(
          `INSERT INTO touchstone_guard.payment (name, id, payment) VALUES ($1, $2, $3)
           ON CONFLICT (name, id) DO UPDATE SET payment = excluded.payment`,
          [name, id, JSON.stringify(store)],
        )

  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      isStale = true
      throw error
    }
  }

  return {
    state: () => state,
    /** Writes facts in one transaction; without facts, takes in what others have written. */
    async write(writes: readonly Write[]): Promise<void> {
      if (writes.length === 0) return guarded(read(database))
      const results = await guarded(database.transaction((client) => append(client, writes)))
      for (const report of results) report()
    },
  }
}

function atTime(fact: LedgerFact, at: number): LedgerFact {
  return fact.type === 'reserve' ? { ...fact, request: { ...fact.request, at } } : fact
}

const broken = () =>
  new ConfigurationError('CONFIGURATION', { details: 'ledger: lines are missing from the database' })
