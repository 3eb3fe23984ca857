import type { Fact } from '../../../domain/facts/facts.ts'
import { decisionKey } from '../../../domain/facts/leaves.ts'
import { carry } from '../../../domain/judge/memory/carried.ts'
import type { Changed, Store } from '../../../ports/store.ts'
import { createEmbeddedExpiring } from '../expiring/embeddedExpiring.ts'
import { createLogStore, findLeaf, putLeaves } from '../log/embeddedLog.ts'
import { createClaims, type EmbeddedClaims } from './claims.ts'
import { copyLevel } from './copyLevel.ts'
import { createDisk, type OnWriteFailed } from './createDisk.ts'
import { createWriter } from './createWriter.ts'
import { createDiskMeter } from './diskMeter.ts'
import {
  expireHosts,
  findHosts,
  hasExpired,
  putDocument,
  readDocument,
  readHost,
  readNewestAt,
  readRanked,
  readState,
  readSummary,
  readTotal,
  readTotals,
} from './documents.ts'
import { claimDue, countDue, nextDue, returnTaken } from './due.ts'
import {
  putDays,
  putFacts,
  readDays,
  readEndpointFacts,
  readHostFacts,
  readListings,
  readPurchases,
  readReports,
} from './facts.ts'
import { readChanges, readIncident, readIncidents } from './feeds.ts'
import { type LooksMeta, looksAt, readCited, readLooks } from './looks.ts'
import { levelFolder, openLevel } from './openLevel.ts'
import { readAllFacts } from './readAllFacts.ts'
import { countReceivers, readReceiver } from './receivers.ts'
import { baseKey, type Retention } from './retention.ts'
import { createCommitted, read } from './source.ts'

/** Options of `createEmbeddedStore`. */
export type EmbeddedStoreOptions = {
  /** Data folder, created if missing. One process at a time can open it. */
  readonly directory: string
  /** Unix time in ms, for the expiry of claims' answers. @default Date.now */
  readonly now?: () => number
  /** Days for which looks are kept, before the newest look of their endpoint. @default 90 */
  readonly retentionDays?: number
  /** Carries what a judgement needs over looks that are dropped. @default `carry` of `domain/judge/memory/carried.ts` */
  readonly carry?: Retention['carry']
  /** Receives problems for the operator. @default ignored */
  readonly onReport?: OnWriteFailed
}

/** The embedded store. */
export type EmbeddedStore = Store & {
  readonly claims: EmbeddedClaims
  /** All facts that are kept, in their latest state; those of one subject oldest first. */
  facts(): AsyncIterable<Fact>
  /** Number of receivers with a record. */
  countReceivers(): Promise<number>
  /**
   * Copies the store as it is now into another data folder, while reading and writing go on.
   * @throws StoreOpenError if that folder holds a store
   */
  copyTo(directory: string): Promise<void>
}

/** Hosts whose expired verdicts one write takes out of totals. */
const EXPIRED_AT_ONCE = 64

/**
 * Opens the embedded store: an ordered key-value database in the folder `store` of the data folder.
 * @throws StoreOpenError if another process has it open, a newer version wrote it, or it is damaged or out of reach
 */
export async function createEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const { directory, now = Date.now, onReport = () => undefined } = options
  const retention = { retentionDays: options.retentionDays ?? 90, carry: options.carry ?? carry }
  const disk = createDisk(await openLevel(directory), directory, onReport)
  const source = createCommitted(disk.level)
  const writer = await createWriter(source, disk.write)
  await writer.run(returnTaken, false)
  const watchers = new Set<(changed: Changed | null) => void>()
  const diskBytes = createDiskMeter(levelFolder(directory))
  let closing: Promise<void> | undefined
  const notify = (changed: Changed) => {
    for (const onChange of watchers) onChange(changed)
  }

  const expireUntil = async (time: number): Promise<void> => {
    // Totals can be made again, so they need not wait for the disk.
    while (await hasExpired(source, time))
      await writer.run((tx) => expireHosts(tx, time, EXPIRED_AT_ONCE), false)
  }

  const readLogged = async (endpoint: string) => {
    const logIndex = await findLeaf(source, decisionKey(endpoint))
    return logIndex === undefined ? {} : { logIndex }
  }

  return {
    append: (facts, leaves = []) =>
      writer.run(async (tx) => {
        await putFacts(tx, facts, retention)
        await putLeaves(tx, leaves)
      }),
    putEndpoint: (document, { facts, days, leaves = [] } = { facts: [], days: [] }) =>
      writer.run(async (tx) => {
        await putFacts(tx, facts, retention)
        putDays(tx, days)
        await putDocument(tx, document)
        await putLeaves(tx, leaves)
        const { host, endpoint } = document.state
        tx.afterwards(() => notify({ host, endpoint }))
      }),
    async endpoint(endpoint) {
      const document = await readDocument(source, endpoint)
      return document && { ...document, ...(await readLogged(endpoint)) }
    },
    async state(endpoint) {
      const state = await readState(source, endpoint)
      return state && { state, ...(await readLogged(endpoint)) }
    },
    host: (host) => readHost(source, host),
    summary: (host) => readSummary(source, host),
    endpointFacts: (endpoint) => readEndpointFacts(source, endpoint),
    hostFacts: (host, until?: number) => readHostFacts(source, host, until),
    async listings(endpoints) {
      const all = await Promise.all(
        endpoints.map(async (endpoint) => [endpoint, await readListings(source, endpoint)] as const),
      )
      return new Map(all.filter(([, listings]) => listings.length > 0))
    },
    purchases: (host) => readPurchases(source, host),
    async *looks(endpoint, range) {
      const meta = await read<LooksMeta>(source, looksAt(endpoint))
      if (meta === undefined) return
      for await (const { look } of readLooks(source, meta.number, range)) yield look
    },
    cited: (endpoint, ids) => readCited(source, endpoint, ids),
    base: (endpoint) => read(source, baseKey(endpoint)),
    days: (endpoint) => readDays(source, endpoint),
    receiver: (network, address, until) => readReceiver(source, { network, address, until }),
    changes: (query) => readChanges(source, query),
    incidents: (query) => readIncidents(source, query),
    incident: (id) => readIncident(source, id),
    reports: () => readReports(source),
    async counts(prefix, time) {
      await expireUntil(time)
      return readTotals(source, prefix)
    },
    count: (name) => readTotal(source, name),
    async *ranked(index, time, rankedOptions = {}) {
      await expireUntil(time)
      yield* readRanked(source, index, rankedOptions)
    },
    searchHosts: (text, limit) => findHosts(source, text, limit),
    // A postponement that is lost makes the key due again at once, which loses nothing.
    claimDue: (list, time, again, limit) =>
      writer.run((tx) => claimDue(tx, list, { now: time, again, limit }), false),
    nextDue: (list) => nextDue(source, list),
    countDue: (list, time) => countDue(source, list, time),
    newestAt: () => readNewestAt(source),
    async watch(onChange) {
      watchers.add(onChange)
      return async () => void watchers.delete(onChange)
    },
    claims: createClaims(source, writer, now),
    log: createLogStore(source, writer, notify),
    expiring: createEmbeddedExpiring(source, writer),
    facts: () => readAllFacts(source),
    countReceivers: () => countReceivers(source),
    copyTo: async (target) => copyLevel(await disk.level(), target),
    stats: () => ({ diskBytes: diskBytes(), rowsRead: source.rowsRead() }),
    close() {
      closing ??= writer.close().then(disk.close)
      return closing
    },
  }
}
