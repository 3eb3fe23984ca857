import { DERIVATION } from '../publish/derivation.ts'
import type { PostgresOptions } from '../store/postgres.ts'
import { openSqlite } from '../store/sqlite.ts'
import { createStore, type Store } from '../store/store.ts'

/** Where a store is. */
export type StorePlace = Omit<PostgresOptions, 'url'> & {
  /** Null to keep records in the data folder. */
  readonly databaseUrl: string | null
  readonly dataDir: string
  /** Whether the data folder may have a running service, beside which a command works. @default false */
  readonly isBeside?: boolean
}

/**
 * Opens the store in a data folder, or in the database if one is configured.
 * @throws StoreOpenError if another service has the folder, or a newer version wrote the data
 * @throws StoreUnavailableError if the database cannot be reached
 */
export async function openStore({ databaseUrl, dataDir, isBeside, ...options }: StorePlace): Promise<Store> {
  if (databaseUrl === null)
    return createStore(await openSqlite({ directory: dataDir, isShared: isBeside ?? false }, DERIVATION))
  // Most data folders never need its client.
  const { openPostgres } = await import('../store/postgres.ts')
  return createStore(await openPostgres({ url: databaseUrl, ...options }, DERIVATION))
}
