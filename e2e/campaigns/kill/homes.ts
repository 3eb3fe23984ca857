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

/** What a victim is told of where its records go. */
export type Place = { readonly directory: string } | { readonly url: string }

/** Where the records of one campaign go. */
export type Home = {
  readonly name: string
  readonly place: Place
  /** Opens the store as the killed process left it; `onCorrupt` is called for each file that was damaged. */
  open(onCorrupt: () => void): Promise<Store>
  /** Puts hosts up for crawling, where the home shares crawl work. */
  offer(tasks: readonly CrawlTask[]): Promise<void>
  /** Works on what is still put up, until these hosts have been looked at or a minute has gone by. */
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

/** A PostgreSQL server of the campaign's own. */
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

/** What a worker writes for a host that it has looked at. */
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
