import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  anObservation,
  type CrawlTask,
  countLooks,
  createCrawlQueue,
  createEmbeddedStore,
  type Observation,
  openPostgresStore,
  type Store,
  startPostgres,
} from '@touchstone402/server/parts'
import { timeOf } from './records.ts'

/** Store settings that are passed to a victim. */
export type Place = { readonly directory: string; readonly copies: string } | { readonly url: string }

/** A store for the records of one campaign. */
export type Home = {
  readonly name: string
  readonly place: Place
  readonly retentionDays: number
  /** Opens the store as the killed process left it. @param newest number of the newest look */
  open(newest: number): Promise<Store>
  /** Opens a copy that the killed process made. */
  openCopy(name: string): Promise<Store>
  /** Removes all copies, whole ones and those that the kill interrupted. */
  removeCopies(): Promise<void>
  /** Queues hosts for crawling, if the store has a queue. */
  offer(tasks: readonly CrawlTask[]): Promise<void>
  /** Works on the queue until these hosts are crawled or a minute has passed. */
  finish(tasks: readonly CrawlTask[]): Promise<void>
  remove(): Promise<void>
}

/** Opens the store of a place as victims and checks do. @param now Unix time in ms, that of the newest look */
export function openStore(place: Place, retentionDays: number, now: () => number) {
  const options = { retentionDays, now, carry: countLooks }
  return 'url' in place
    ? openPostgresStore({ ...place, ...options })
    : createEmbeddedStore({ directory: place.directory, ...options })
}

/** A data folder. */
export async function folderHome(retentionDays: number): Promise<Home> {
  const root = await mkdtemp(join(tmpdir(), 'touchstone-kill-'))
  const place = { directory: join(root, 'data'), copies: join(root, 'copies') }
  await mkdir(place.copies)
  return {
    name: 'embedded',
    place,
    retentionDays,
    open: (newest) => openStore(place, retentionDays, () => timeOf(newest)),
    openCopy: (name) =>
      openStore({ ...place, directory: join(place.copies, name) }, retentionDays, () => timeOf(0)),
    async removeCopies() {
      for (const name of await readdir(place.copies)) await rm(join(place.copies, name), { recursive: true })
    },
    offer: async () => {},
    finish: async () => {},
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/** A separate PostgreSQL server. */
export async function databaseHome(retentionDays: number): Promise<Home> {
  const server = await startPostgres()
  const { url } = server
  const queue = await createCrawlQueue({ url })
  const open = (newest: number) => openStore({ url }, retentionDays, () => timeOf(newest))
  return {
    name: 'postgres',
    place: { url },
    retentionDays,
    open,
    openCopy: () => Promise.reject(new Error('a database is not copied')),
    removeCopies: async () => {},
    offer: queue.offer,
    async finish(tasks) {
      const store = await open(0)
      const left = () => countUnseen(store, tasks)
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

/** Counts queued hosts that were never crawled. */
export async function countUnseen(store: Store, tasks: readonly CrawlTask[]): Promise<number> {
  let unseen = 0
  for (const { endpoints } of tasks) {
    let looks = 0
    for await (const _ of store.looks(endpoints[0] ?? '')) looks += 1
    if (looks === 0) unseen += 1
  }
  return unseen
}

/** Returns the record that a worker writes for a crawled host, newer than all others and so within the retention. */
export function lookAt(host: string): Observation {
  return anObservation({
    id: `look-${host}`,
    at: Date.UTC(2026, 6, 1),
    endpoint: `https://${host}/a`,
    host,
    offers: [],
    resourceOrigin: null,
    declaresInput: false,
  })
}
