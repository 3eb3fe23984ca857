import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { StoreOpenError, StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { DAY } from '../../../domain/facts/times.ts'
import { ANSWER_KEPT_MS } from '../claimRules.ts'
import { anIncident, anObservation, aWantedClaim, documentOf, NOON } from '../testing/records.ts'
import { describeStore } from '../testing/storeContract.ts'
import { usePostgres } from '../testing/usePostgres.ts'
import { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from './createPostgresStore.ts'

const emptyDatabase = usePostgres()
describeStore('postgres', async () => {
  const database = emptyDatabase()
  return {
    open: (now) => createPostgresStore({ ...database, ...(now ? { now } : {}) }),
    remove: async () => {},
  }
})

describe('postgres store', () => {
  let database: ReturnType<typeof emptyDatabase>
  let opened: PostgresStore[] = []
  beforeEach(() => {
    database = emptyDatabase()
    return async () => {
      await Promise.all(opened.map((store) => store.close()))
      opened = []
    }
  })

  async function open(options: Partial<PostgresStoreOptions> = {}): Promise<PostgresStore> {
    const store = await createPostgresStore({ ...database, ...options })
    opened.push(store)
    return store
  }

  async function sql(text: string): Promise<unknown[]> {
    const client = new pg.Client(database.url)
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows
  }

  test('behavior: one of several starting processes migrates; later starts have nothing to do', async () => {
    const stores = await Promise.all([open(), open(), open(), open()])
    expect(stores.flatMap((store) => store.migrated)).toEqual([
      '0001-facts-documents-claims',
      '0002-mcp-audits',
      '0003-claims-confirmed-on-chain',
    ])
    expect((await open()).migrated).toEqual([])
  })

  test('error: refuses a database that a newer version migrated', async () => {
    await open()
    await sql(`INSERT INTO ${database.schema}.migration (name) VALUES ('9999-from-the-future')`)
    await expect(open()).rejects.toThrow(StoreOpenError)
    await expect(open()).rejects.toThrow('9999-from-the-future')
  })

  test('error: refuses an unreachable database and invalid settings', async () => {
    const absent = open({ url: 'postgres://touchstone@127.0.0.1:1/postgres' })
    await expect(absent).rejects.toThrow(StoreUnavailableError)
    await expect(open({ url: 'mysql://localhost' })).rejects.toThrow(StoreOpenError)
    await expect(open({ schema: 'x; DROP SCHEMA y' })).rejects.toThrow(StoreOpenError)
  })

  test('behavior: exactly one of several concurrent claims wins across processes', async () => {
    const stores = await Promise.all([open(), open()])
    for (let round = 0; round < 10; round++) {
      const wanted = aWantedClaim({ nonce: `${round}` })
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) => stores[index % 2]?.claims.claim(wanted)),
      )
      expect(outcomes.filter((outcome) => outcome?.won)).toHaveLength(1)
      await stores[0]?.claims.advance(wanted, 'settling', { at: NOON })
      const ends = await Promise.allSettled(
        stores.map((store) => store.claims.advance(wanted, 'settled', { at: NOON })),
      )
      expect(ends.map((end) => end.status).sort()).toEqual(['fulfilled', 'rejected'])
    }
  })

  test('behavior: writes all facts of a call or none', async () => {
    const store = await open()
    const impossible = anObservation({ id: 'bad', host: 'nul\u0000.example' })
    await expect(store.append([anObservation({ id: 'good' }), impossible])).rejects.toThrow(pg.DatabaseError)
    expect((await store.hostFacts('api.example')).observations).toEqual([])
  })

  test('error: reports a lost connection, and a later call works', async () => {
    const store = await open({ connections: 2 })
    const cut = store.append([anObservation()]).catch((error) => {
      expect(error).toBeInstanceOf(StoreUnavailableError)
    })
    await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE application_name = 'touchstone' AND pid <> pg_backend_pid()`)
    await cut
    // The pool notices the loss a moment later.
    await expect
      .poll(() => store.append([anObservation({ id: 'after' })]).then(() => 'written', String))
      .toBe('written')
    const { observations } = await store.hostFacts('api.example')
    expect(observations.map((one) => one.id)).toContain('after')
  })

  test('error: a statement that takes too long fails', async () => {
    const store = await open({ statementTimeoutMs: 300 })
    const blocker = new pg.Client(database.url)
    await blocker.connect()
    await blocker.query(`BEGIN; LOCK TABLE ${database.schema}.document IN ACCESS EXCLUSIVE MODE`)
    await expect(store.putHost(documentOf('api.example', NOON))).rejects.toThrow(StoreUnavailableError)
    await blocker.end()
    await store.putHost(documentOf('api.example', NOON))
  })

  test('behavior: notifies a process of documents that others write, also after a lost connection', async () => {
    const [writer, reader] = [await open(), await open()]
    const heard: (string | null)[] = []
    const stop = await reader.watchHosts((host) => heard.push(host))
    await writer.putHost(documentOf('api.example', NOON))
    await expect.poll(() => heard, { interval: 5 }).toEqual(['api.example'])
    await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`)
    await expect.poll(() => heard, { timeout: 5000 }).toEqual(['api.example', null])
    await writer.putHost(documentOf('b.example', NOON))
    await expect.poll(() => heard).toEqual(['api.example', null, 'b.example'])
    await stop()
    await writer.putHost(documentOf('c.example', NOON))
    await sleep(50)
    expect(heard).toHaveLength(3)
  })

  test('default: folds old observations into days, except cited ones, and counts nothing twice', async () => {
    const store = await open({ retentionDays: 30, now: () => NOON + ANSWER_KEPT_MS })
    const looks = Array.from({ length: 240 }, (_, look) =>
      anObservation({ id: `o${look}`, at: NOON + look * (DAY / 4), latencyMs: look % 4 }),
    )
    const incident = anIncident({ observations: ['o7'] })
    await store.append([...looks, { kind: 'incident', id: 'f', at: NOON, incident }])
    const wanted = aWantedClaim()
    await store.claims.claim(wanted)
    await store.claims.advance(wanted, 'settling', {
      at: NOON,
      answer: { status: 200, headers: {}, body: '' },
    })
    const both = await Promise.all([store.compact(), store.compact()])
    expect(both.reduce((sum, one) => sum + one.droppedAnswers, 0)).toBe(1)
    await store.compact()

    const { observations, daily } = await store.hostFacts('api.example')
    const foldBefore = Math.floor((NOON + 239 * (DAY / 4) - 30 * DAY) / DAY) * DAY
    const kept = observations.filter((one) => one.at < foldBefore)
    expect(kept.map((one) => one.id)).toEqual(['o0', 'o7', expect.any(String)])
    expect(daily[1]).toMatchObject({ date: '2026-06-02', up: 4, latencyMsP50: 1, latencyMsP90: 3 })
    const counted = daily.reduce((sum, day) => sum + day.up, 0) + observations.length - kept.length
    expect(counted).toBe(240)
  })

  test('behavior: reads many documents in pages, each once', async () => {
    const store = await open()
    const hosts = Array.from({ length: 401 }, (_, index) => `host${index}.example`)
    await Promise.all(hosts.map((host) => store.putHost(documentOf(host, NOON))))
    const seen: string[] = []
    for await (const { host } of store.hosts()) seen.push(host)
    expect(seen.sort()).toEqual(hosts.sort())
  })
})
