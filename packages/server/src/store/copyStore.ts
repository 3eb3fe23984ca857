import { sql } from 'kysely'
import { StoreOpenError } from '../facts/storeError.ts'
import { connectPostgres } from './postgres.ts'
import { type Db, TABLES, type Tables } from './schema.ts'
import { ROWS_AT_ONCE } from './slices.ts'
import { openSqliteFile } from './sqliteFile.ts'

/** Leases end anyway, and the format is that of the database. */
const COPIED = (Object.keys(TABLES) as (keyof Tables)[]).filter((name) => name !== 'lease' && name !== 'meta')

const NUMBERED = ['endpoint', 'log_leaf'] as const

/** Number of copied rows by table. */
export type Copied = ReadonlyMap<keyof Tables, number>

/**
 * Copies the store of a data folder into an empty database, whole or not at all. The service of the folder may run: what it
 * writes meanwhile is left out.
 * @throws StoreOpenError if the database holds something, or one of them cannot be opened
 */
export async function copyStore(from: { directory: string }, to: { url: string }): Promise<Copied> {
  const source = await openSqliteFile({ ...from, isShared: true })
  try {
    const target = await connectPostgres({ ...to, connections: 2 })
    try {
      return await target.db.transaction().execute((tx) => copyTables(source.db, tx))
    } finally {
      await target.pool.end()
    }
  } finally {
    source.close()
  }
}

/** Copies the rows of one store's tables into the empty ones of another. */
export async function copyTables(from: Db, to: Db): Promise<Copied> {
  const copied = new Map<keyof Tables, number>()
  await sql`begin`.execute(from)
  for (const table of COPIED) {
    const known = await to.selectFrom(table).select(sql<number>`1`.as('one')).limit(1).executeTakeFirst()
    if (known !== undefined) throw new StoreOpenError(`The database is not empty: it has rows in "${table}"`)
    copied.set(table, await copyTable(from, to, table))
  }
  for (const table of NUMBERED) {
    const sequence = sql`pg_get_serial_sequence(${table}, 'id')`
    await sql`select setval(${sequence}, (select coalesce(max(id), 1) from ${sql.table(table)}))`.execute(to)
  }
  await sql`rollback`.execute(from)
  return copied
}

async function copyTable(from: Db, to: Db, table: keyof Tables): Promise<number> {
  let count = 0
  let page: Record<string, unknown>[] = []
  const write = async () => {
    if (page.length > 0)
      await to
        .insertInto(table)
        .values(page as never)
        .execute()
    count += page.length
    page = []
  }
  for await (const row of from
    .selectFrom(table as 'host')
    .selectAll()
    .stream()) {
    page.push({ ...row })
    if (page.length === ROWS_AT_ONCE) await write()
  }
  await write()
  return count
}
