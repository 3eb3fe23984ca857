import { promises as dns } from 'node:dns'
import type { Config } from './config/config.ts'
import type { Context } from './context.ts'
import type { CrawlProgress } from './facts/crawlProgress.ts'
import { createAnswerCache } from './http/free/answerCache.ts'
import { neededFiles, requireKeys } from './keys/lostKeys.ts'
import { makeDataFolder } from './lib/durableFiles.ts'
import type { ClaimReader } from './owners/hostClaims.ts'
import { createClaimReader } from './probe/createClaimReader.ts'
import { createReadModel, type ReadModel } from './readModel/createReadModel.ts'
import { openAudit } from './services/audit.ts'
import { openProcessChain } from './services/chain.ts'
import { openCrawl } from './services/crawl.ts'
import { openChainCheck, openHealth } from './services/health.ts'
import { openHttp } from './services/http.ts'
import { serveMetrics } from './services/metrics.ts'
import { openStore } from './services/openStore.ts'
import { logOperation } from './services/operation.ts'
import { openSales } from './services/sales.ts'
import { type AppOptions, createScope, type Scope } from './services/scope.ts'
import type { StopOptions } from './services/stopper.ts'
import { openTraces } from './services/traces.ts'
import { createShopperAccounts } from './shop/accounts.ts'
import { readShopperKey } from './shop/readShopperKey.ts'

/** A running process that crawls but answers no requests. */
export type Worker = {
  crawl(): CrawlProgress
  /** Finishes accepted calls, cancels everything else, and closes everything. */
  stop(): Promise<void>
  /**
   * Stops as {@link stop} does, within a limit.
   * @returns whether all that was accepted is done or recorded
   */
  stopWithin(options: StopOptions): Promise<boolean>
}

/** The running service. */
export type App = Worker & {
  /** Where it listens, such as `http://127.0.0.1:8402`. */
  readonly url: string
}

/**
 * Starts the service and its crawl.
 * @throws Error if the data folder or database belongs to another process or a newer version, the file of a published key
 * is missing, the port is in use, or the facilitator or an RPC is on another network
 */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  return start(config, options, { answers: true, crawls: options.crawls ?? true })
}

/**
 * Starts a process that shares the crawl with other workers on the same database.
 * @throws Error if no database is configured, it belongs to a newer version, or the file of a published key is missing
 */
export async function startWorker(config: Config, options: AppOptions = {}): Promise<Worker> {
  if (config.databaseUrl === null) throw new Error('DATABASE_URL is missing: workers share a database')
  return start(config, options, { answers: false, crawls: true })
}

type Tasks = { readonly answers: boolean; readonly crawls: boolean }

/** Opens the parts of one process, each from those before it. If one cannot be opened, the others are closed again. */
async function start(config: Config, options: AppOptions, { answers, crawls }: Tasks): Promise<App> {
  const scope = createScope(config, options, await openTraces(config.tracesUrl))
  try {
    const storage = await openStorage(scope, config)
    const { ctx } = storage
    await requireOwnKeys(ctx, options, { answers, crawls })
    // Refuses an unusable key in every process, not only in the one that buys.
    const key = config.shopper && (await readShopperKey(config.shopper.keyFile))
    const shopper = key && createShopperAccounts(ctx, key)
    const chain = await openProcessChain(scope, ctx, { sells: answers })
    const audit = openAudit(scope, { ...storage, chain }, shopper)
    const chainCheck = await openChainCheck(chain)
    const claimReader = openClaimReader(scope)
    const crawl = openCrawl(scope, { ctx, chain, audit, claimReader, shopper })
    const sales = answers ? await openSales(scope, ctx, chain) : null
    const health = await openHealth(scope, { ctx, crawl, chain: chainCheck, sales })
    const url =
      sales === null
        ? config.publicUrl
        : await openHttp(scope, { ...storage, chain, audit, claimReader, crawl, sales, health })
    if (crawls) crawl.start(url)
    if (config.metrics !== null) {
      await serveMetrics(scope, ctx, { cache: storage.cache, crawl, health, chain }, config.metrics)
    }
    logOperation(scope, ctx, storage.cache, crawl.progress)
    const stop = async () => void (await scope.stop())
    return { url, crawl: crawl.progress, stop, stopWithin: scope.stop }
  } catch (error) {
    await scope.stop()
    throw error
  }
}

/**
 * Opens the database if one is configured, else the data folder; the context of the process; the read model that follows the
 * store; and the cache of answers.
 */
async function openStorage({ contextOf, options, warn, onStop }: Scope, config: Config) {
  const { databaseUrl, dataDir, databasePatienceMs: patienceMs } = config
  const onGone = (reason: string) => {
    warn('database')(`no connection for ${patienceMs / 1000} s: ${reason}`)
    options.onGone?.()
  }
  // With a database it holds keys and caches.
  await makeDataFolder(dataDir)
  const store = await openStore({ databaseUrl, dataDir, patienceMs, onGone })
  const ctx = contextOf(store)
  let readModel: ReadModel | undefined
  const close = async () => {
    await readModel?.close()
    await store.close()
  }
  onStop('store', close, 'storage')
  readModel = await createReadModel(store, { now: () => ctx.clock.now() })
  return { ctx, readModel, cache: createAnswerCache(ctx) }
}

/** Refuses a process that needs a published key whose file is missing, unless new keys are asked for. */
function requireOwnKeys({ config, log, store }: Context, options: AppOptions, tasks: Tasks) {
  return requireKeys(store, neededFiles(config, tasks), {
    takesNew: options.takesNewKeys ?? false,
    onNew: (line, { setting }) => log('warn', line, { event: 'new_key', setting }),
  })
}

/** Options of the DNS look-ups for host claims. */
const DNS_PATIENCE = {
  timeout: 2_000,
  tries: 2,
}

/** Opens the reader of what hosts publish to be claimed. */
function openClaimReader({ reach, onStop }: Scope): ClaimReader {
  const reader = createClaimReader({ ...reach, resolver: new dns.Resolver(DNS_PATIENCE) })
  onStop('claim reader', reader.close)
  return reader
}
