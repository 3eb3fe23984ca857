import { misconfigured } from '../../errors.ts'
import { applyUpdate, hasEnded } from '../../ledger/applyUpdate.ts'
import { applyFact, type LedgerFact, type Write } from '../../ledger/journal.ts'
import type { LedgerUpdate } from '../../ledger/ledger.ts'
import { createLedgerState, type LedgerState } from '../../ledger/ledgerState.ts'
import { restoreState } from '../../ledger/snapshot.ts'
import { applyRecord, readRecord, writeRecord, writeSnapshot } from '../ledgerRecord.ts'

/** Which ledger a log is, and how it is kept. */
export type LogOptions = {
  /** Name of the ledger: one budget for all that give it. @default 'default' */
  name: string
  /** Number of lines after which a snapshot is stored, which later openings start from. @default 20000 */
  snapshotLines: number
  /** Whose clock dates payments; `caller` is for tests. @default 'database' */
  clock: 'database' | 'caller'
}

// Of `pg`, which is optional, so that the published types do not name it.
export type Client = { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> }
export type Pool = Client & {
  connect(): Promise<Client & { release(isBroken?: boolean): void }>
  end(): Promise<void>
}

type Head = { seq: string; head: string | null; stopped: boolean; now: string }
type Line = { seq: string; line: string }

/**
 * Creates the log of one ledger and a copy of its state. A write locks the ledger's row, reads what others have
 * written, checks each reservation against that state, appends the accepted facts, and commits: all in one transaction.
 */
export function createLedgerLog(pool: Pool, { name, clock, snapshotLines }: LogOptions) {
  const query = async <Row>(client: Client, text: string, ...values: unknown[]): Promise<Row[]> =>
    (await client.query(text, [name, ...values])).rows as Row[]
  let state: LedgerState = createLedgerState()
  let seq = 0n
  let head: string | null = null
  let snapshotSeq = 0n
  /** The last line that is known to be committed. */
  let committed: { seq: bigint; head: string | null } = { seq, head }
  // After a fault the own state may hold facts that were not committed.
  let isStale = true

  const load = async (client: Client): Promise<void> => {
    const select = 'SELECT seq, line FROM touchstone_guard.snapshot WHERE name = $1'
    const [row] = await query<Line>(client, select)
    const record = row && readRecord(row.line)
    if (row !== undefined && record?.type !== 'snapshot') throw broken()
    state = record?.type === 'snapshot' ? restoreState(record.snapshot) : createLedgerState()
    head = record?.type === 'snapshot' ? record.after : null
    seq = BigInt(row?.seq ?? 0)
    snapshotSeq = seq
    await checkCommitted(client)
    isStale = false
  }

  /** Checks that the database still has what this process knows: it may have been restored, or a replica has taken over. */
  const checkCommitted = async (client: Client): Promise<void> => {
    if (committed.seq < seq || committed.seq === 0n) return
    const select = 'SELECT seq, line FROM touchstone_guard.line WHERE name = $1 AND seq = $2'
    const [row] = await query<Line>(client, select, committed.seq.toString())
    const hash = committed.seq === seq ? head : row && readRecord(row.line)?.hash
    if (hash !== committed.head) throw broken()
  }

  const read = async (client: Client): Promise<void> => {
    if (isStale) await load(client)
    const select = 'SELECT seq, line FROM touchstone_guard.line WHERE name = $1 AND seq > $2 ORDER BY seq'
    for (const row of await query<Line>(client, select, seq.toString())) {
      const record = readRecord(row.line)
      if (record === undefined || record.prev !== head || BigInt(row.seq) !== seq + 1n) throw broken()
      applyRecord(state, record)
      head = record.hash
      seq += 1n
    }
  }

  /** Adds a fact to the own state. Returns its line, or null if it changes nothing. */
  const add = (write: Write, { stopped, now }: Head, results: (() => void)[]): string | null => {
    const fact = clock === 'database' ? atTime(write.fact, Number(now)) : write.fact
    // As where the clock of the database says that an authorization has not ended.
    if (fact.type === 'update' && !applyUpdate(state, fact.id, fact.change)) return null
    const result = fact.type === 'update' ? undefined : applyFact(state, fact, stopped)
    if (result !== undefined) results.push(() => write.done?.(result))
    if (result?.ok === false) return null
    const { line, hash } = writeRecord({ ...fact, writer: 'ledger', prev: head, seen: null })
    head = hash
    seq += 1n
    return line
  }

  const append = async (client: Client, writes: readonly Write[]): Promise<(() => void)[]> => {
    const [row] = await query<Head>(
      client,
      `SELECT seq, head, stopped, floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now
       FROM touchstone_guard.ledger WHERE name = $1 FOR UPDATE`,
    )
    if (row === undefined) throw broken()
    await read(client)
    if (BigInt(row.seq) !== seq || row.head !== head) throw broken()
    const results: (() => void)[] = []
    const first = seq + 1n
    const lines = writes.flatMap((write) => add(write, row, results) ?? [])
    await store(client, first, lines)
    for (const { payment } of writes) {
      const isKept = payment?.store === null && !hasEnded(state, payment.id)
      if (payment !== undefined && !isKept) await keep(client, payment)
    }
    return results
  }

  const store = async (client: Client, first: bigint, lines: readonly string[]): Promise<void> => {
    if (lines.length === 0) return
    await query(
      client,
      `INSERT INTO touchstone_guard.line (name, seq, line)
       SELECT $1, $2::bigint + place - 1, line FROM unnest($3::text[]) WITH ORDINALITY AS given (line, place)`,
      first.toString(),
      lines,
    )
    const update = 'UPDATE touchstone_guard.ledger SET seq = $2, head = $3 WHERE name = $1'
    await query(client, update, seq.toString(), head)
    if (seq - snapshotSeq < BigInt(snapshotLines)) return
    const { line } = writeSnapshot(head ?? '', null, state)
    await query(
      client,
      `INSERT INTO touchstone_guard.snapshot (name, seq, line) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, line = excluded.line`,
      seq.toString(),
      line,
    )
    snapshotSeq = seq
  }

  const keep = (client: Client, { id, store }: NonNullable<Write['payment']>) =>
    store === null
      ? query(client, 'DELETE FROM touchstone_guard.payment WHERE name = $1 AND id = $2', id)
      : query(
          client,
          `INSERT INTO touchstone_guard.payment (name, id, payment) VALUES ($1, $2, $3)
           ON CONFLICT (name, id) DO UPDATE SET payment = excluded.payment`,
          id,
          JSON.stringify(store),
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
    /** Writes facts in one transaction; without facts, reads what others have written. */
    async write(writes: readonly Write[]): Promise<void> {
      const work = () => inTransaction(pool, (client) => append(client, writes))
      const results = await guarded(writes.length > 0 ? work() : read(pool).then(() => []))
      committed = { seq, head }
      for (const report of results) report()
    },
  }
}

/** Runs work in one transaction. After an error it is not known whether it was committed. */
export async function inTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // A connection in an unknown state is discarded; the server rolls back its transaction.
    client.release(true)
    throw error
  }
}

/** Dates what frees budgets by the clock of the database: reservations, and the end of authorizations. */
function atTime(fact: LedgerFact, at: number): LedgerFact {
  if (fact.type === 'reserve') return { ...fact, request: { ...fact.request, at } }
  if (fact.type !== 'update') return fact
  const { change } = fact
  if ('at' in change) return { ...fact, change: { ...change, at } }
  if (!('proof' in change) || change.proof === undefined) return fact
  return { ...fact, change: { ...change, proof: { ...change.proof, at } } as LedgerUpdate }
}

const broken = () => misconfigured('ledger: lines are missing from the database')
