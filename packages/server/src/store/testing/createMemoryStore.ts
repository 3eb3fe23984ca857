import { openDatabase } from '../../lib/database.ts'
import type { Store } from '../../ports/store.ts'
import { migrate } from '../migrations.ts'
import { createStore } from '../openStore.ts'
import { createMemoryEngine } from '../sqlite.ts'
import { SQLITE, toKysely } from '../sqliteFile.ts'

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

/** Creates a store in memory. @param now Unix time in ms, for the expiry of answers. @default Date.now */
export function createMemoryStore({ now }: { readonly now?: () => number } = {}): Store {
  return createStore(createMemoryEngine(TABLES), now)
}
