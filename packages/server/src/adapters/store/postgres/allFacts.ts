import type { Fact, Observation } from '../../../domain/facts/facts.ts'
import type { Store } from '../../../ports/store.ts'
import type { Database } from './database.ts'
import { decodeLooks, LOOK_COLUMNS, type LookRow } from './looks.ts'

/** Number of records per query. */
const PAGE = 1_000

/** Creates the `facts` of a store. */
export function createAllFacts(database: Database): Store['facts'] {
  /** Reads pages of rows, each behind the last row of the one before. */
  async function* pages<Row extends Record<string, unknown>>(
    text: string,
    first: readonly unknown[],
    keyOf: (row: Row) => readonly unknown[],
  ): AsyncGenerator<Row[]> {
    let after: readonly unknown[] = first
    for (;;) {
      const rows: Row[] = await database.query<Row>(`${text} LIMIT ${PAGE}`, after)
      if (rows.length > 0) yield rows
      const last = rows.at(-1)
      if (!last || rows.length < PAGE) return
      after = keyOf(last)
    }
  }

  async function* looks(): AsyncGenerator<Observation> {
    const kept = pages<{ endpoint: number; id: string; data: string }>(
      'SELECT endpoint, id, data FROM kept_look WHERE (endpoint, id) > ($1, $2) ORDER BY endpoint, id',
      [-1, ''],
      ({ endpoint, id }) => [endpoint, id],
    )
    for await (const rows of kept) for (const { data } of rows) yield JSON.parse(data)
    const all = pages<LookRow>(
      `SELECT ${LOOK_COLUMNS} FROM look WHERE (endpoint, at, seq) > ($1, $2, $3) ORDER BY endpoint, at, seq`,
      [-1, 0, 0],
      ({ endpoint, at, seq }) => [endpoint, at, seq],
    )
    for await (const rows of all) {
      for (const { observation } of await decodeLooks(database.query, rows)) yield observation
    }
  }

  return async function* facts(): AsyncGenerator<Fact> {
    const records = pages<{ kind: string; subject: string; at: string; seq: string; data: string }>(
      `SELECT kind, subject, at, seq, data FROM fact WHERE (kind, subject, at, seq) > ($1, $2, $3, $4)
       ORDER BY kind, subject, at, seq`,
      ['', '', 0, 0],
      ({ kind, subject, at, seq }) => [kind, subject, at, seq],
    )
    for await (const rows of records) for (const { data } of rows) yield JSON.parse(data)
    const published = pages<{
      kind: 'change' | 'incident'
      at: string
      seq: string
      id: string
      data: string
    }>(
      `SELECT kind, at, seq, id, data FROM published WHERE (kind, at, seq) > ($1, $2, $3) ORDER BY kind, at, seq`,
      ['', 0, 0],
      ({ kind, at, seq }) => [kind, at, seq],
    )
    for await (const rows of published) for (const row of rows) yield publishedOf(row)
    const newest = pages<{ kind: string; subject: string; at: string; data: string }>(
      'SELECT kind, subject, at, data FROM newest WHERE (kind, subject) > ($1, $2) ORDER BY kind, subject',
      ['', ''],
      ({ kind, subject }) => [kind, subject],
    )
    for await (const rows of newest) {
      for (const { kind, subject, at, data } of rows) {
        const record = JSON.parse(data)
        yield kind === 'report' ? { kind, id: subject, at: Number(at), report: record } : record
      }
    }
    yield* looks()
  }
}

function publishedOf(row: { kind: 'change' | 'incident'; at: string; id: string; data: string }): Fact {
  const entry = { id: row.id, at: Number(row.at) }
  return row.kind === 'change'
    ? { kind: 'change', ...entry, change: JSON.parse(row.data) }
    : { kind: 'incident', ...entry, incident: JSON.parse(row.data) }
}
