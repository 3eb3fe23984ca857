import type { PoolClient } from 'pg'
import type { Fact } from '../../../domain/facts/facts.ts'
import type { HostDocument } from '../../../domain/facts/hostDocument.ts'
import type { Claim } from '../../../ports/claims.ts'
import { claimId } from '../claimRules.ts'
import type { LogRecord } from '../lowdb/logLine.ts'
import { addDaily } from './compactDatabase.ts'
import { rowOf } from './createPostgresClaims.ts'
import { insertFacts } from './createPostgresFacts.ts'

/** Writes the calls of a log into tables, in order and in batches. */
export type CopyWriter = {
  write(records: readonly LogRecord[]): Promise<void>
  /** Writes the pending batch. */
  flush(): Promise<void>
}

/** Number of records per batch. */
const BATCH = 1_000

/** Creates a writer within a transaction. */
export function createCopyWriter(client: PoolClient): CopyWriter {
  let facts: Fact[] = []
  const claims = new Map<string, Claim>()
  const documents = new Map<string, HostDocument>()

  const flush = async (): Promise<void> => {
    await insertFacts(client, facts, false)
    facts = []
    await upsertClaims(client, [...claims.values()])
    claims.clear()
    await upsertDocuments(client, [...documents.values()])
    documents.clear()
  }

  const hold = (record: LogRecord): void => {
    if (record.type === 'fact') facts.push(record.data)
    if (record.type === 'claim') claims.set(claimId(record.data), record.data)
    if (record.type === 'host') documents.set(record.data.host, record.data)
  }

  /** Writes a fold, after the observations that it removes. */
  const writeFold = async (records: readonly LogRecord[]): Promise<void> => {
    await flush()
    for (const record of records) {
      if (record.type === 'fold') {
        await client.query(
          `DELETE FROM fact WHERE subject = $1 AND kind = 'observation' AND NOT kept AND at < $2`,
          [record.data.host, record.data.before],
        )
      }
      if (record.type === 'daily') await addDaily(client, record.data)
    }
    const kept = records.flatMap((record) => (record.type === 'fact' ? [record.data] : []))
    await insertFacts(client, kept, true)
  }

  return {
    flush,
    async write(records) {
      if (records[0]?.type === 'fold') return writeFold(records)
      for (const record of records) hold(record)
      if (facts.length + claims.size + documents.size >= BATCH) await flush()
    },
  }
}

async function upsertClaims(client: PoolClient, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return
  const rows = claims.map(rowOf)
  await client.query(
    `INSERT INTO claim (id, state, updated_at, tx_hash, answer, wanted)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at,
       tx_hash = excluded.tx_hash, answer = excluded.answer, wanted = excluded.wanted`,
    [0, 1, 2, 3, 4, 5].map((column) => rows.map((row) => row[column])),
  )
}

async function upsertDocuments(client: PoolClient, documents: readonly HostDocument[]): Promise<void> {
  if (documents.length === 0) return
  await client.query(
    `INSERT INTO document (host, updated_at, data) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
     ON CONFLICT (host) DO UPDATE SET updated_at = excluded.updated_at, data = excluded.data`,
    [
      documents.map((document) => document.host),
      documents.map((document) => document.updatedAt),
      documents.map((document) => JSON.stringify(document)),
    ],
  )
}
