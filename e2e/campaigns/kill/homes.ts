import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store, sql, startPostgres } from '@touchstone402/server/testing'
import { type Place, withSql } from '../../support/withSql.ts'
import { countUndone, workOff } from './work.ts'

/** A store for the records of one campaign. */
export type Home = {
  readonly name: string
  readonly place: Place
  /** Folder for copies of the store; null if it is not copied. */
  readonly copies: string | null
  /** Opens the store as the killed process left it. */
  open(): Promise<Store>
  remove(): Promise<void>
  /** Stops it and leaves its files for debugging. Returns their folder. */
  keep(): Promise<string>
}

/** A data folder. */
export async function folderHome(): Promise<Home> {
  const root = await mkdtemp(join(tmpdir(), 'touchstone-kill-'))
  const place = { databaseUrl: null, dataDir: join(root, 'data') }
  return {
    name: 'sqlite',
    place,
    copies: root,
    open: () => openStore(place),
    remove: () => rm(root, { recursive: true, force: true }),
    keep: async () => root,
  }
}

/** A PostgreSQL server that nothing else uses. */
export async function databaseHome(): Promise<Home> {
  const server = await startPostgres()
  const place = { databaseUrl: server.url, dataDir: '' }
  return {
    name: 'postgres',
    place,
    copies: null,
    open: () => openStore(place),
    remove: server.stop,
    keep: server.halt,
  }
}

/** Ends the leases of killed processes and works on all hosts that are due. Returns how many were not done once. */
export async function finish({ place, open }: Home, hosts: readonly string[]): Promise<number> {
  await withSql(place, (db) => sql`delete from lease`.execute(db))
  const store = await open()
  try {
    await workOff(store)
    return await countUndone(store, hosts)
  } finally {
    await store.close()
  }
}
