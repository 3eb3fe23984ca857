import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CrawlTask,
  createCrawlQueue,
  createLowdbStore,
  createPostgresStore,
  type Store,
  startPostgres,
} from '@touchstone402/server/parts'

/** Store settings that are passed to a victim. */
export type Place = { readonly directory: string } | { readonly url: string }

/** A store for the records of one campaign. */
export type Home = {
  readonly name: string
  readonly place: Place
  /** Opens the store as the killed process left it. Calls `onCorrupt` for each damaged file. */
  open(onCorrupt: () => void): Promise<Store>
  /** Queues hosts for crawling, if the store has a queue. */
  offer(tasks: readonly CrawlTask[]): Promise<void>
  /** Works on the queue until these hosts are crawled or a minute has passed. */
  finish(tasks: readonly CrawlTask[]): Promise<void>
  remove(): Promise<void>
}

/** A data folder. */
export async function folderHome(): Promise<Home> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-kill-'))
  return {
    name: 'lowdb',
    place: { directory },
    open: (onCorrupt) =>
      createLowdbStore({
        directory,
        onReport: ({ code }) => {
          if (code === 'corrupt_segment' || code === 'corrupt_document') onCorrupt()
        },
      }),
    offer: async () => {},
    finish: async () => {},
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A separate PostgreSQL server. */
export async function databaseHome(): Promise<Home> {
  const server = await startPostgres()
  const { url } = server
  const queue = await createCrawlQueue({ url })
  return {
    name: 'postgres',
    place: { url },
    open: () => createPostgresStore({ url }),
    offer: queue.offer,
    async finish(tasks) {
      const store = await createPostgresStore({ url })
      const left = async () => {
        const looks = await Promise.all(tasks.map(({ host }) => store.hostFacts(host)))
        return looks.filter(({ observations, daily }) => observations.length + daily.length === 0).length
      }
      const worker = await createCrawlQueue({ url, recoverEveryMs: 1000 })
      await worker.work(async ({ host }) => store.append([lookAt(host)]))
      const until = Date.now() + 60_000
      while ((await left()) > 0 && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 500))
      await worker.close()
      await store.close()
    },
    async remove() {
      await queue.close()
      await server.stop()
    },
  }
}

/** Returns the record that a worker writes for a crawled host. */
export function lookAt(host: string): Parameters<Store['append']>[0][number] {
  return {
    kind: 'observation',
    id: `look-${host}`,
    at: Date.UTC(2026, 0, 1),
    endpoint: `https://${host}/a`,
    host,
    purpose: 'scheduled',
    client: 'crawler',
    method: 'GET',
    outcome: 'up',
    cause: 'challenge',
    httpStatus: 402,
    latencyMs: 40,
    versions: [2],
    offers: [],
    resourceOrigin: null,
    declaresInput: false,
    declaresOutput: true,
    disagreements: [],
    problems: [],
  }
}
