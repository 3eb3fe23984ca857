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

/** What was copied, as the database counts it afterwards. */
export type Copied = {
  readonly facts: number
  readonly changesAndIncidents: number
  readonly days: number
  readonly documents: number
  readonly claims: number
  /** Bytes of the log that hold no whole call: 0 unless a crash tore its end or a fault damaged it. */
  readonly unreadableBytes: number
}

/**
 * Copies a data folder of the embedded store into an empty database, in one transaction; the folder stays as it is.
 * The signing keys in it are no records and are not copied.
 *
 * @throws StoreOpenError when a process owns the folder, the folder holds no log, or the database holds records already.
 * @throws StoreUnavailableError when the database does not answer; nothing is in it then.
 */
export async function copyToPostgres(directory: string, to: DatabaseOptions): Promise<Copied> {
  if (!(await isFolder(join(directory, 'log')))) {
    throw new StoreOpenError(`${directory} holds no log of the embedded store.`)
  }
  const lock = await lockFolder(
    directory,
    () => undefined,
    () => undefined,
  )
  const database = openDatabase({ statementTimeoutMs: HOUR, ...to, connections: 1 })
  try {
    await migrate(database)
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
      if (reading.newer) throw new StoreOpenError(`${path} was written by a newer version of this program.`)
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
    throw new StoreOpenError(`The database holds ${found} records already; only an empty one is filled.`)
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
