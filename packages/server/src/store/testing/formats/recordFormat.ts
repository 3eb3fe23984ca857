// Writes the fixture of the format of this program. It is run by
//   node --import tsx --conditions=source packages/server/src/store/testing/formats/recordFormat.ts

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { openStore } from '../../../services/openStore.ts'
import { backUp } from '../../backUp.ts'
import { copyTables } from '../../copyStore.ts'
import { FORMAT, migrate } from '../../migrations.ts'
import { POSTGRES } from '../../postgres.ts'
import type { Tables } from '../../schema.ts'
import { openSqliteFile } from '../../sqliteFile.ts'
import { startPostgres } from '../startPostgres.ts'
import { fillStore } from './fillStore.ts'
import { RECORDED_SCHEMA, type Statement, writeFormat } from './formats.ts'

const folder = await mkdtemp(join(tmpdir(), 'touchstone-format-'))
const store = await openStore({ databaseUrl: null, dataDir: folder })
await fillStore(store)
await store.close()
await backUp(folder, join(folder, 'copy.db'))

const server = await startPostgres()
const statements: Statement[] = []
const pool = new pg.Pool({ connectionString: server.url, max: 1 })
// The server may end its connections before the pool has.
pool.on('error', () => undefined)
await pool.query(`create schema ${RECORDED_SCHEMA}; set search_path = ${RECORDED_SCHEMA}`)
const db = new Kysely<Tables>({
  dialect: new PostgresDialect({ pool }),
  log: ({ query: { sql, parameters } }) => {
    if (/^(create|alter|insert)/i.test(sql)) statements.push([sql, parameters])
  },
})
await migrate(db, POSTGRES, { schema: RECORDED_SCHEMA })
const source = await openSqliteFile({ directory: folder, isShared: true })
await copyTables(source.db, db)
source.close()
await db.destroy()
await server.stop()

await writeFormat(FORMAT, await readFile(join(folder, 'copy.db')), statements)
await rm(folder, { recursive: true })
process.stdout.write(`format ${FORMAT}: ${statements.length} statements\n`)
