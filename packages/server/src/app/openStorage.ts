import { join } from 'node:path'
import { createLowdbStore } from '../adapters/store/lowdb/createLowdbStore.ts'
import { createCrawlQueue } from '../adapters/store/postgres/createCrawlQueue.ts'
import { createPostgresStore, type PostgresStore } from '../adapters/store/postgres/createPostgresStore.ts'
import type { Config } from '../config/config.ts'
import { createHostFollower } from '../crawl/followHosts.ts'
import { messageOf } from '../errors.ts'
import { createPostgresAudits } from '../mcp/createPostgresAudits.ts'
import { openFileAudits } from '../mcp/openFileAudits.ts'
import type { McpAudits } from '../mcp/ports.ts'
import type { CrawlQueue } from '../ports/crawlQueue.ts'
import type { Store } from '../ports/oldStore.ts'
import { createReadModel, type ReadModel } from '../readModel/createReadModel.ts'
import { type Cleanup, createCleanups } from './cleanups.ts'

/** Everything that keeps data. */
export type Storage = {
  readonly store: Store
  readonly mcpAudits: McpAudits
  /** Includes the writes of other processes. */
  readonly readModel: ReadModel
  /** Null if this process owns its data. */
  readonly queue: CrawlQueue | null
  close(): Promise<void>
}

/** Settings that decide where data is kept. */
export type StorageSettings = Pick<Config, 'databaseUrl' | 'dataDir' | 'crawlConcurrency'>

/**
 * Opens the database if one is configured, else the data folder.
 * @throws StoreOpenError if the folder or the database belongs to another process or a newer version
 * @throws StoreUnavailableError if the database cannot be reached
 */
export async function openStorage(
  settings: StorageSettings,
  warn: (message: string) => void,
): Promise<Storage> {
  const cleanups = createCleanups()
  try {
    const open = settings.databaseUrl === null ? openFolder : openDatabase
    return { ...(await open(settings, warn, cleanups.add)), close: cleanups.run }
  } catch (error) {
    await cleanups.run()
    throw error
  }
}

async function openFolder(
  { dataDir: directory }: StorageSettings,
  warn: (message: string) => void,
  onClose: (cleanup: Cleanup) => void,
) {
  const onReport = (report: unknown) => warn(JSON.stringify(report))
  const store = await createLowdbStore({ directory, onReport })
  onClose(store.close)
  const mcpAudits = await openFileAudits(join(directory, 'mcp-audits.jsonl'))
  onClose(mcpAudits.close)
  return { store, mcpAudits, readModel: await createReadModel(store), queue: null }
}

async function openDatabase(
  { databaseUrl, crawlConcurrency: concurrency }: StorageSettings,
  warn: (message: string) => void,
  onClose: (cleanup: Cleanup) => void,
) {
  const url = databaseUrl ?? ''
  const onError = (error: unknown) => warn(`database: ${messageOf(error)}`)
  const store = await createPostgresStore({ url, onError })
  onClose(store.close)
  const queue = await createCrawlQueue({ url, concurrency, onError })
  onClose(queue.close)
  const readModel = await openReadModel(store, onError, onClose)
  return { store, mcpAudits: createPostgresAudits(store.database), readModel, queue }
}

/** Loads the read model and applies writes of other processes. Listens before loading, so that it misses none. */
async function openReadModel(
  store: PostgresStore,
  onError: (error: unknown) => void,
  onClose: (cleanup: Cleanup) => void,
): Promise<ReadModel> {
  const early = new Set<string | null>()
  let tell = (host: string | null): void => void early.add(host)
  const unwatch = await store.watchHosts((host) => tell(host))
  onClose(unwatch)
  const readModel = await createReadModel(store)
  const follower = createHostFollower(readModel, onError)
  onClose(follower.stop)
  tell = follower.tell
  for (const host of early) tell(host)
  return readModel
}
