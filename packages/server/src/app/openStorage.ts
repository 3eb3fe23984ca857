import { join } from 'node:path'
import { createMapFolder } from '../adapters/map/createMapFolder.ts'
import { serveBackups } from '../adapters/store/backup/serveBackups.ts'
import { createMapTable } from '../adapters/store/createMapTable.ts'
import { createEmbeddedStore, type EmbeddedStore } from '../adapters/store/embedded/createEmbeddedStore.ts'
import { createCrawlQueue } from '../adapters/store/postgres/createCrawlQueue.ts'
import { openPostgresStore } from '../adapters/store/postgres/openPostgresStore.ts'
import type { Config } from '../config/config.ts'
import type { StorageConfig } from '../config/storageSettings.ts'
import { messageOf } from '../errors.ts'
import { createPostgresAudits } from '../mcp/createPostgresAudits.ts'
import { openFileAudits } from '../mcp/openFileAudits.ts'
import type { McpAudits } from '../mcp/ports.ts'
import type { CrawlQueue } from '../ports/crawlQueue.ts'
import type { MapFiles } from '../ports/mapFiles.ts'
import type { Store } from '../ports/store.ts'
import { createReadModel, type ReadModel } from '../readModel/createReadModel.ts'
import { type Cleanup, createCleanups } from './cleanups.ts'
import type { Log } from './scope.ts'

/** Everything that keeps data. */
export type Storage = {
  readonly store: Store
  readonly mcpAudits: McpAudits
  /** The published files of the map. */
  readonly mapFiles: MapFiles
  /** Follows the writes of all processes. */
  readonly readModel: ReadModel
  /** Null if this process owns its data. */
  readonly queue: CrawlQueue | null
  close(): Promise<void>
}

/** Settings that decide where data is kept. */
export type StorageSettings = Pick<
  Config,
  'databaseUrl' | 'dataDir' | 'crawlConcurrency' | 'documentCacheBytes'
>

type Opened = Pick<Storage, 'store' | 'mcpAudits' | 'mapFiles' | 'queue'>
type OpenDeps = { readonly log: Log; readonly onClose: (cleanup: Cleanup) => void }

/**
 * Opens the database if one is configured, else the data folder.
 * @param now the audit's clock
 * @throws StoreOpenError if the folder or the database belongs to another process or a newer version
 * @throws StoreUnavailableError if the database cannot be reached
 */
export async function openStorage(settings: StorageSettings, log: Log, now: () => number): Promise<Storage> {
  const cleanups = createCleanups()
  try {
    const open = settings.databaseUrl === null ? openFolder : openDatabase
    const opened = await open(settings, { log, onClose: cleanups.add })
    const readModel = await createReadModel(opened.store, { cacheBytes: settings.documentCacheBytes, now })
    cleanups.add(readModel.close)
    return { ...opened, readModel, close: cleanups.run }
  } catch (error) {
    await cleanups.run()
    throw error
  }
}

/**
 * Opens the store in a data folder.
 * @throws StoreOpenError if the folder belongs to another process or a newer version
 */
export async function openFolderStore(directory: string, log: Log): Promise<EmbeddedStore> {
  const onReport = (report: unknown) => log('warn', JSON.stringify(report))
  return createEmbeddedStore({ directory, onReport })
}

/**
 * Opens the store of a command that ends, as the service would.
 * @throws StoreOpenError if the folder or the database belongs to another process or a newer version
 * @throws StoreUnavailableError if the database cannot be reached
 */
export function openStore(
  { databaseUrl, dataDir }: StorageConfig,
  warn: (message: string) => void,
): Promise<Store> {
  if (databaseUrl === null) return openFolderStore(dataDir, (_, message) => warn(message))
  return openPostgresStore({ url: databaseUrl, onError: (error) => warn(String(error)) })
}

/** Returns the folder of the map within a data folder. */
export function mapFolder(directory: string): string {
  return join(directory, 'map')
}

async function openFolder(
  { dataDir: directory }: StorageSettings,
  { log, onClose }: OpenDeps,
): Promise<Opened> {
  const store = await openFolderStore(directory, log)
  onClose(store.close)
  const mcpAudits = await openFileAudits(join(directory, 'mcp-audits.jsonl'))
  onClose(mcpAudits.close)
  const onError = (error: unknown) => log('warn', `back-up: ${messageOf(error)}`)
  onClose(await serveBackups({ directory, copyTo: store.copyTo, onError }))
  return { store, mcpAudits, mapFiles: createMapFolder(mapFolder(directory)), queue: null }
}

async function openDatabase(
  { databaseUrl, crawlConcurrency: concurrency }: StorageSettings,
  { log, onClose }: OpenDeps,
): Promise<Opened> {
  const url = databaseUrl ?? ''
  const onError = (error: unknown) => log('warn', `database: ${messageOf(error)}`)
  const store = await openPostgresStore({ url, onError })
  onClose(store.close)
  const queue = await createCrawlQueue({ url, concurrency, onError })
  onClose(queue.close)
  const { database } = store
  return { store, mcpAudits: createPostgresAudits(database), mapFiles: createMapTable(database), queue }
}
