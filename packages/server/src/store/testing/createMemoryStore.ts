import { openDatabase } from '../../lib/database.ts'
import { DERIVATION } from '../../publish/derivation.ts'
import { migrate } from '../migrations.ts'
import { createMemoryEngine } from '../sqlite.ts'
import { SQLITE, toKysely } from '../sqliteFile.ts'
import type { Store } from '../store.ts'
import { createStore } from '../store.ts'

/** The statements that make the tables, since running migrations for each test takes longer. */
const TABLES = await describeTables()

async function describeTables(): Promise<string> {
  const database = openDatabase(':memory:')
  await migrate(toKysely(database), SQLITE)
  const rows = database
    .prepare("select sql from sqlite_master where sql is not null and name not like 'sqlite_%'")
    .all() as { sql: string }[]
  database.close()
  return rows.map(({ sql }) => `${sql};`).join('\n')
}

/** Creates a store in memory. */
export function createMemoryStore(): Store {
  return createStore(createMemoryEngine(TABLES, DERIVATION))
}
