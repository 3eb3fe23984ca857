import { writeLeaf } from '@touchstone402/shared/leaves'
import { hashLeaf } from '@touchstone402/transparency'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailableError } from '../facts/storeError.ts'
import { DERIVATION } from '../publish/derivation.ts'
import { openStore } from '../services/openStore.ts'
import { readHead, readLeaves, readLogSize, readTiles } from './log.ts'
import { openPostgres } from './postgres.ts'
import type { Store } from './store.ts'
import { createStore } from './store.ts'
import { createDatabase, createEmptyDatabase } from './testing/createEmptyDatabase.ts'
import { aState } from './testing/documents.ts'
import { NOON } from './testing/records.ts'
import { type RunningPostgres, startPostgres } from './testing/startPostgres.ts'
import { startStallingProxy } from './testing/startStallingProxy.ts'
import { openEmptyDatabase } from './testing/usePostgres.ts'
import type { Changed } from './tx.ts'

describe('a database that goes and comes back', () => {
  let server: RunningPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  const createPlace = async () => (await createDatabase(server.url)).url
  const write = (store: Store, number: number) =>
    store.write('putEndpoint', aState({ derivedAt: NOON + number }))
  const untilWritten = async (store: Store, number: number) =>
    expect
      .poll(
        () =>
          write(store, number).then(
            () => true,
            () => false,
          ),
        { timeout: 9_000 },
      )
      .toBe(true)

  test.each(['fast', 'immediate'] as const)(
    'behavior: after a stop that is %s everything goes on',
    async (mode) => {
      const store = await openStore({ databaseUrl: await createPlace(), dataDir: '' })
      const seen: (Changed | null)[] = []
      await store.watch((changed) => seen.push(changed))
      await write(store, 1)
      const restarted = server.restart(mode, 100)
      await expect
        .poll(() => write(store, 2).catch((error: unknown) => error))
        .toBeInstanceOf(StoreUnavailableError)
      await restarted
      await untilWritten(store, 3)
      // Notifications were missed meanwhile.
      await expect.poll(() => seen.includes(null)).toBe(true)
      const before = seen.length
      await write(store, 4)
      await expect.poll(() => seen.length).toBeGreaterThan(before)
      await store.close()
    },
  )

  test('behavior: connections that are ended one and all are made again', async () => {
    const engine = await openPostgres({ url: await createPlace() }, DERIVATION)
    const store = createStore(engine)
    const seen: (Changed | null)[] = []
    await store.watch((changed) => seen.push(changed))
    await write(store, 1)
    const other = await openPostgres({ url: await createPlace() }, DERIVATION)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`
      .execute(other.db)
      .catch(() => undefined)
    await untilWritten(store, 2)
    await expect.poll(() => seen.includes(null)).toBe(true)
    await store.close()
    await other.close()
  })

  test('behavior: connections that a network drops in silence are replaced, and what went unheard is told', async () => {
    const proxy = await startStallingProxy(await createPlace())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    // Slowly enough that an attempt to connect does not time out.
    const passTimeUntil = (isReached: () => boolean) =>
      expect
        .poll(
          async () => {
            await vi.advanceTimersByTimeAsync(200)
            return isReached()
          },
          { interval: 10, timeout: 9_000 },
        )
        .toBe(true)
    const store = createStore(await openPostgres({ url: proxy.url, connections: 1 }, DERIVATION))
    const seen: (Changed | null)[] = []
    await store.watch((changed) => seen.push(changed))
    await write(store, 1)
    await expect.poll(() => seen).toHaveLength(1)
    proxy.stall()
    let failure: unknown
    void write(store, 2).catch((error: unknown) => {
      failure = error
    })
    await passTimeUntil(() => failure !== undefined)
    expect(failure).toBeInstanceOf(StoreUnavailableError)
    // The broken connection is not handed out again.
    await write(store, 3)
    await passTimeUntil(() => seen.includes(null))
    const before = seen.length
    await write(store, 4)
    await expect.poll(() => seen.length).toBeGreaterThan(before)
    await store.close()
    await proxy.stop()
  })

  test('behavior: the process is told once when the database is gone for longer than the patience', async () => {
    const gone: string[] = []
    const engine = await openPostgres(
      {
        url: await createPlace(),
        patienceMs: 200,
        onGone: (reason) => gone.push(reason),
      },
      DERIVATION,
    )
    await server.restart('fast', 1_000)
    await expect.poll(() => gone.length).toBe(1)
    await engine.close()
  })
})

describe('openPostgres', () => {
  test('behavior: several processes migrate one empty database at once', async () => {
    const options = await openEmptyDatabase()
    const engines = await Promise.all([1, 2, 3].map(() => openPostgres(options, DERIVATION)))
    for (const engine of engines) await engine.close()
  })

  test('behavior: a process that was suspended while it led loses no leaf of the log, and takes no checkpoint back', async () => {
    const options = await openEmptyDatabase()
    const stores = await Promise.all(
      [1, 2].map(async () => createStore(await openPostgres(options, DERIVATION))),
    )
    const [one, two] = stores.map((store) => store)
    if (one === undefined || two === undefined) throw new Error('unreachable')
    const at = new Date(NOON).toISOString()
    for (let round = 0; round < 40; round++) {
      const leaves = Array.from({ length: 5 }, (_, version) => ({
        ...writeLeaf({ kind: 'map', at, version, round }, null),
        key: `map ${round} ${version}`,
      }))
      await one.write('addLeaves', leaves)
      await Promise.allSettled([one, two, one, two].map((log) => log.write('sequenceLeaves', 50)))
    }
    while ((await one.write('sequenceLeaves', 50)) > 0);
    const size = await readLogSize(one)
    const entries = await readLeaves(one, 0, size)
    expect([size, entries.length]).toEqual([200, 200])
    const hashes = entries.map(({ leaf }) => Buffer.from(hashLeaf(Buffer.from(leaf))))
    expect(await readTiles(one, [{ level: 0, index: 0 }])).toEqual([Buffer.concat(hashes)])
    await one.write('putHead', { note: 'newer', size: 200, at: NOON + 1 })
    await two.write('putHead', { note: 'older', size: 190, at: NOON })
    expect(await readHead(one)).toMatchObject({ note: 'newer' })
    for (const store of stores) await store.close()
  })

  test('error: refuses another kind of database', async () => {
    await expect(openPostgres({ url: 'mysql://x' }, DERIVATION)).rejects.toThrow(
      'must begin with postgres://',
    )
  })

  test('error: a database that is not there', async () => {
    const { url, drop } = await createEmptyDatabase(inject('postgres'))
    await drop()
    await expect(openPostgres({ url }, DERIVATION)).rejects.toThrow(StoreUnavailableError)
  })
})
