import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'
import type { Store } from '../../ports/store.ts'
import { migrate } from '../migrate.ts'
import { createStore } from '../openStore.ts'
import { createMemoryEngine, SQLITE } from '../sqlite.ts'

/** The statements that make the tables, since running migrations for each test takes longer. */
const TABLES = await describeTables()

async function describeTables(): Promise<string> {
  const database = new Database(':memory:')
  await migrate(new Kysely({ dialect: new SqliteDialect({ database: database as never }) }), SQLITE)
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
