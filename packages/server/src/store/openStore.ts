import { StoreUnavailableError } from '../facts/storeError.ts'
import type { Totals } from '../facts/totals.ts'
import { LATEST } from '../ports/mapFiles.ts'
import type { Store } from '../ports/store.ts'
import { listAudits, listDocuments, readAudit, readDocument, readMapFile, readMapNames } from './documents.ts'
import { readEndpoint, readJudgedAfter, readNewestAt } from './endpoints.ts'
import type { Engine } from './engine.ts'
import {
  readEndpointFacts,
  readHostFacts,
  readLatestReport,
  readListings,
  readPurchases,
  readReceiver,
  readReports,
} from './facts.ts'
import { readFeed, readIncident, readOpenIncidents } from './feeds.ts'
import { countPaid, hasExpired, readHost, readHosts, readSummary, searchPaid } from './hosts.ts'
import { countDue, readDue, readNextDue } from './leases.ts'
import { countWaiting, findLeaf, readHead, readLeaves, readLogSize, readPublished, readTiles } from './log.ts'
import { readDays, readObservations } from './observations.ts'
import { countUnsettled, readPayment, readUndelivered, readUnsettled } from './payments.ts'
import type { PostgresOptions } from './postgres.ts'
import type { Db } from './schema.ts'
import { openSqlite } from './sqlite.ts'
import { readPurchasesOf, readVerdictsOf } from './standing.ts'

/** Where a store is. */
export type StorePlace = Omit<PostgresOptions, 'url'> & {
  /** Null to keep records in the data folder. */
  readonly databaseUrl: string | null
  readonly dataDir: string
  /** Whether the data folder may have a running service, beside which a command works. @default false */
  readonly isBeside?: boolean
  /** Unix time in ms, for answers that expire. @default Date.now */
  readonly now?: () => number
}

/**
 * Opens the store in a data folder, or in the database if one is configured.
 * @throws StoreOpenError if another service has the folder, or a newer version wrote the data
 * @throws StoreUnavailableError if the database cannot be reached
 */
export async function openStore({
  databaseUrl,
  dataDir,
  isBeside,
  now,
  ...options
}: StorePlace): Promise<Store> {
  if (databaseUrl === null)
    return createStore(await openSqlite({ directory: dataDir, isShared: isBeside ?? false }), now)
  // Most data folders never need its client.
  const { openPostgres } = await import('./postgres.ts')
  return createStore(await openPostgres({ url: databaseUrl, ...options }), now)
}

/** A count rests for a minute; a quick one as many times as long as it took. */
const MAX_REST_MS = 60_000
const QUICK_MS = 250
const REST_TIMES = 20

/** Creates the store on an engine. @param now of answers that expire. @default Date.now */
export function createStore(engine: Engine, now: () => number = Date.now): Store {
  const { db, write } = engine
  let isClosed = false
  let counted: { readonly at: number; readonly totals: Promise<Totals>; restsUntilMs: number } | undefined

  /** Refuses reads of a closed store, which the engines do each in its own way. */
  const requireOpen = () => {
    if (isClosed) throw new StoreUnavailableError('The store is closed')
  }
  const read =
    <Args extends readonly unknown[], R>(query: (db: Db, ...args: Args) => Promise<R>) =>
    async (...args: Args): Promise<R> => {
      requireOpen()
      return query(db, ...args)
    }
  const readEach = <Args extends readonly unknown[], R>(query: (db: Db, ...args: Args) => AsyncIterable<R>) =>
    async function* (...args: Args): AsyncIterable<R> {
      requireOpen()
      yield* query(db, ...args)
    }

  const refresh = async (at: number) => {
    while (await hasExpired(db, at)) await write('refreshHosts', at)
  }
  const count = async (at: number): Promise<Totals> => {
    await refresh(at)
    const totals = await engine.count('countAll', at)
    if (counted !== undefined)
      counted.restsUntilMs =
        performance.now() + (totals.tookMs < QUICK_MS ? REST_TIMES * totals.tookMs : MAX_REST_MS)
    return totals
  }

  return {
    append: (facts, leaves = []) => write('append', facts, leaves),
    putEndpoint: (state, written) => write('putEndpoint', state, written),
    noteListed: (endpoints, at) => write('noteListed', endpoints, at),
    dropDead: (darkSince, listedSince) => write('dropDead', darkSince, listedSince),
    endpoint: read(readEndpoint),
    summary: read(readSummary),
    host: read(readHost),
    endpointFacts: read(readEndpointFacts),
    hostFacts: read(readHostFacts),
    listings: read(readListings),
    purchases: read(readPurchases),
    observations: read(readObservations),
    cited: read((_, endpoint, ids) => readObservations(db, endpoint, { ids })),
    days: read(readDays),
    receiver: read(readReceiver),
    changes: read((_, query) => readFeed(db, 'change', query)),
    incidents: read((_, query) => readFeed(db, 'incident', query)),
    openIncidents: read(readOpenIncidents),
    incident: read(readIncident),
    reports: read(readReports),
    latestReport: read(readLatestReport),
    standing: read(readVerdictsOf),
    purchasesOf: read(readPurchasesOf),
    totals(at) {
      const isFresh = counted !== undefined && Math.abs(at - counted.at) < MAX_REST_MS
      if (counted === undefined || !isFresh || performance.now() >= counted.restsUntilMs) {
        counted = { at, totals: count(at), restsUntilMs: Number.POSITIVE_INFINITY }
        counted.totals.catch(() => {
          counted = undefined
        })
      }
      return counted.totals
    },
    hosts: read(async (_, query, at) => {
      await refresh(at)
      return readHosts(db, query)
    }),
    searchPaid: read(searchPaid),
    countPaid: read(countPaid),
    watch: engine.watch,
    leases: {
      takeHosts: (at, options) => write('takeHosts', at, options),
      take: (name) => write('takeLease', name),
      renew: (lease) => write('renewLease', lease),
      release: (lease, at) => write('releaseLease', lease, at),
      due: read(readDue),
      nextDue: read(() => readNextDue(db, engine.dialect)),
      countDue: read(countDue),
      postpone: (endpoint, until) => write('postpone', endpoint, until),
      putFirst: (host, endpoints, at) => write('putFirst', host, endpoints, at),
      takeDocuments: (at, again, limit) => write('takeDocuments', at, again, limit),
      postponeDocuments: (host, until) => write('postponeDocuments', host, until),
    },
    claims: {
      claim: (wanted) => write('claimPayment', wanted),
      advance: (key, to, change) => write('advancePayment', key, to, change),
      get: read((_, key) => readPayment(db, key, now())),
      unsettled: read(readUnsettled),
      undelivered: read(readUndelivered),
      dropExpired: (before) => write('dropExpiredPayments', before),
      countUnsettled: read(countUnsettled),
    },
    log: {
      add: (leaves) => write('addLeaves', leaves),
      sequence: (limit) => write('sequenceLeaves', limit),
      size: read(readLogSize),
      countWaiting: read(countWaiting),
      find: read(findLeaf),
      published: read(readPublished),
      tiles: read(readTiles),
      entries: read(readLeaves),
      forget: (index) => write('forgetOpening', index),
      head: read(readHead),
      putHead: (head) => write('putHead', head),
      begin: (first) => write('beginLog', first),
    },
    expiring: {
      put: (document, at) => write('putDocument', document, at),
      get: read(readDocument),
      list: readEach(listDocuments),
      remove: (kind, id) => write('removeDocument', kind, id),
    },
    mapFiles: {
      read: read(readMapFile),
      publish: read(async (_, files, { latest, isKept }) => {
        const names = await readMapNames(db)
        const gone = names.filter((name) => !files.has(name) && name !== LATEST && !isKept(name))
        await write('putMapFiles', files, latest, gone)
      }),
    },
    mcpAudits: {
      get: read(readAudit),
      put: (audit) => write('putAudit', audit),
      all: readEach(listAudits),
    },
    newestAt: read(readNewestAt),
    judgedAfter: read(readJudgedAfter),
    diskBytes: read(() => engine.diskBytes()),
    async close() {
      isClosed = true
      await engine.close()
    },
  }
}
