import { join } from 'node:path'
import { createLowdbStore } from '../adapters/store/lowdb/createLowdbStore.ts'
import { createCrawlQueue } from '../adapters/store/postgres/createCrawlQueue.ts'
import { createPostgresStore, type PostgresStore } from '../adapters/store/postgres/createPostgresStore.ts'
import type { Config } from '../config/config.ts'
import { createHostFollower } from '../crawl/followHosts.ts'
import { createPostgresAudits } from '../mcp/createPostgresAudits.ts'
import { openFileAudits } from '../mcp/openFileAudits.ts'
import type { McpAudits } from '../mcp/ports.ts'
import type { CrawlQueue } from '../ports/crawlQueue.ts'
import type { Store } from '../ports/store.ts'
import { createReadModel, type ReadModel } from '../readModel/createReadModel.ts'

/** Where everything is kept. */
export type Storage = {
  readonly store: Store
  readonly mcpAudits: McpAudits
  /** Follows what other processes write, where there may be any. */
  readonly readModel: ReadModel
  /** Null where this process has its data to itself. */
  readonly queue: CrawlQueue | null
  close(): Promise<void>
}

/**
 * Opens the database where one is configured, else the data folder.
 * @throws StoreOpenError when the folder or the database is not ours to use
 * @throws StoreUnavailableError when the database cannot be reached
 */
export async function openStorage(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'crawlConcurrency'>,
  warn: (message: string) => void,
): Promise<Storage> {
  if (config.databaseUrl === null) return openFolder(config.dataDir, warn)
  const { databaseUrl: url, crawlConcurrency: concurrency } = config
  const onError = (error: unknown) =>
    warn(`database: ${error instanceof Error ? error.message : String(error)}`)
  const store = await createPostgresStore({ url, onError })
  try {
    const queue = await createCrawlQueue({ url, concurrency, onError })
    try {
      const { readModel, stop } = await openFollowingModel(store, onError)
      const close = async () => {
        await stop()
        await queue.close()
        await store.close()
      }
      return { store, mcpAudits: createPostgresAudits(store.database), readModel, queue, close }
    } catch (error) {
      await queue.close()
      throw error
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openFolder(directory: string, warn: (message: string) => void): Promise<Storage> {
  const store = await createLowdbStore({
    directory,
    onReport: (report) => warn(typeof report === 'string' ? report : JSON.stringify(report)),
  })
  try {
    const mcpAudits = await openFileAudits(join(directory, 'mcp-audits.jsonl'))
    const close = async () => {
      await mcpAudits.close()
      await store.close()
    }
    return { store, mcpAudits, readModel: await createReadModel(store), queue: null, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Listens first and loads then, so that nothing is missed in between. */
async function openFollowingModel(store: PostgresStore, onError: (error: unknown) => void) {
  const early = new Set<string | null>()
  let tell = (host: string | null): void => void early.add(host)
  const unwatch = await store.watchHosts((host) => tell(host))
  const readModel = await createReadModel(store)
  const follower = createHostFollower(readModel, onError)
  tell = follower.tell
  for (const host of early) tell(host)
  const stop = async () => {
    await unwatch()
    await follower.stop()
  }
  return { readModel, stop }
}
