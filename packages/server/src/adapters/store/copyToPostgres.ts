import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PoolClient } from 'pg'
import { StoreOpenError } from '../../domain/facts/storeError.ts'
import { HOUR } from '../../domain/facts/times.ts'
import { lockFolder } from './lowdb/folderLock.ts'
import { type LogRecord, recordOf } from './lowdb/logLine.ts'
import { type LoggedCall, type SegmentReading, walkCalls } from './lowdb/readCalls.ts'
import { listSegments } from './lowdb/segmentFiles.ts'
import { createCopyWriter } from './postgres/createCopyWriter.ts'
import { type Database, type DatabaseOptions, openDatabase } from './postgres/database.ts'
import { migrate } from './postgres/migrate.ts'
import { MIGRATIONS } from './postgres/migrations.ts'

/** Numbers of copied records, as counted in the database. */
export type Copied = {
  readonly facts: number
  readonly changesAndIncidents: number
  readonly days: number
  readonly documents: number
  readonly claims: number
  /** Bytes of the log outside of complete calls: 0 unless a crash or a fault damaged it. */
  readonly unreadableBytes: number
}

/**
 * Copies a data folder of the embedded store into an empty database, in one transaction. The folder stays unchanged;
 * its signing keys are not copied.
 * @throws StoreOpenError if a process owns the folder, the folder holds no log, or the database is not empty
 * @throws StoreUnavailableError if the database is unavailable; it stays empty then
 */
export async function copyToPostgres(directory: string, to: DatabaseOptions): Promise<Copied> {
  if (!(await isFolder(join(directory, 'log')))) {
    throw new StoreOpenError(`${directory} holds no log of the embedded store`)
  }
  const lock = await lockFolder(
    directory,
    () => undefined,
    () => undefined,
  )
  const database = openDatabase({ statementTimeoutMs: HOUR, ...to, connections: 1 })
  try {
    // It writes the tables of the first three.
    await migrate(database, MIGRATIONS.slice(0, 3))
    return await copyLog(join(directory, 'log'), database)
  } finally {
    await database.close()
    await lock.release()
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

function copyLog(log: string, database: Database): Promise<Copied> {
  return database.transaction(async (client) => {
    await refuseUnlessEmpty(client)
    const writer = createCopyWriter(client)
    let unreadableBytes = 0
    for (const { path } of await listSegments(log)) {
      const reading = await eachCall(await readFile(path), async ({ lines }) => {
        const records = lines.map((line): LogRecord => recordOf(line))
        await writer.write(records)
      })
      if (reading.newer) throw new StoreOpenError(`A newer version of this program wrote ${path}`)
      unreadableBytes += reading.damagedBytes + reading.tailBytes
    }
    await writer.flush()
    return { ...(await count(client)), unreadableBytes }
  })
}

async function eachCall(segment: Buffer, work: (call: LoggedCall) => Promise<void>): Promise<SegmentReading> {
  const calls = walkCalls(segment)
  for (;;) {
    const step = calls.next()
    if (step.done) return step.value
    await work(step.value)
  }
}

async function refuseUnlessEmpty(client: PoolClient): Promise<void> {
  const found = Object.values(await count(client)).reduce((sum, rows) => sum + rows, 0)
  if (found > 0)
    throw new StoreOpenError(`The database holds ${found} records already: copy into an empty one`)
}

async function count(client: PoolClient): Promise<Omit<Copied, 'unreadableBytes'>> {
  const rows = async (table: string) => {
    const result = await client.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${table}`)
    return Number(result.rows[0]?.rows ?? 0)
  }
  return {
    facts: await rows('fact'),
    changesAndIncidents: await rows('published'),
    days: await rows('daily'),
    documents: await rows('document'),
    claims: await rows('claim'),
  }
}
