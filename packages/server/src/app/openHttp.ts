import { join } from 'node:path'
import { NETWORKS } from '@touchstone402/shared'
import { createTokenAnswers, createTokenWarmer } from '@touchstone402/transfers'
import { getAddress } from 'viem'
import { createSnapshots } from '../adapters/snapshots/createSnapshots.ts'
import { HOUR } from '../domain/facts/times.ts'
import { keyLeaf } from '../domain/publish/leaves.ts'
import { createAnswers } from '../http/answers/createAnswers.ts'
import { createHttpApp } from '../http/createHttpApp.ts'
import { createHttpServer, stopHttpServer } from '../http/createHttpServer.ts'
import type { RequestRecord } from '../http/deps.ts'
import { proveKeys } from '../log/proveKeys.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import { createPages } from '../site/createPages.ts'
import { createErrorPages } from '../site/errors/createErrorPages.tsx'
import { openDisputes, openHostClaims } from './forms/openClaims.ts'
import { openMcpVerifier } from './forms/openMcpVerifier.ts'
import { openScans } from './forms/openScans.ts'
import { openWebhooks } from './forms/openWebhooks.ts'
import { listen } from './listen.ts'
import type { Audit } from './openAudit.ts'
import { openSales, type SalesChain } from './openSales.ts'
import { openSigner } from './openSigner.ts'
import type { Storage } from './openStorage.ts'
import { checkReadiness } from './readiness.ts'
import type { Scope } from './scope.ts'

/** Links between the HTTP server and the rest of the process. */
export type HttpHooks = {
  /** Schedules a host to be probed first. */
  readonly recheck: (host: string) => Promise<void> | void
  readonly crawl: () => CrawlProgress
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  readonly readMs?: number | undefined
}

// The default window of the token operations, and the previous one that `/momentum` compares it with.
const WARM_SECONDS = 7200

// Below the time limit of a page.
const DOCUMENT_MS = 8000

/**
 * Opens the HTTP server and starts listening.
 * @returns the URL
 * @throws Error if the port is in use, the facilitator does not settle on the network, or the signing key is unusable
 */
export async function openHttp(
  scope: Scope,
  storage: Storage,
  audit: Audit,
  chain: SalesChain,
  { recheck, crawl, onRequest, readMs }: HttpHooks,
): Promise<string> {
  const { config, clock, metrics } = scope
  const { store, readModel, mcpAudits } = storage
  const { publicUrl, contact } = config
  const signer = await openSigner(config)
  await store.log.add(signer.jwks().keys.map(({ kid }) => keyLeaf('decisions', `${kid}`, clock.now())))
  const snapshots = await createSnapshots({
    directory: join(config.dataDir, 'snapshots'),
    isShared: storage.queue !== null,
  })
  const sweeper = setInterval(() => void snapshots.sweep().catch(scope.warn('snapshots')), HOUR)
  scope.onStop(() => clearInterval(sweeper))
  const { paywall, prices } = await openSales(scope, store.claims, chain)
  warmTokens(scope, audit)
  const answers = createAnswers({
    store,
    readModel,
    auditor: audit.auditor,
    signer,
    clock,
    publicUrl,
    liveCheckPriceUsd: Number(prices.trust),
    prices,
    snapshots,
    mcpAudits,
    readMs,
    tokens: createTokenAnswers({
      source: audit.source,
      // The chain keeps real time, not the audit's clock.
      now: Date.now,
      checksum: (address) => getAddress(address),
      wellKnown: NETWORKS.filter(({ caip2 }) => caip2 === config.network).map(({ usdc }) => ({
        symbol: 'USDC',
        address: getAddress(usdc),
      })),
    }),
  })
  const scans = openScans(scope, storage, audit)
  const mcpVerifier = openMcpVerifier(scope, storage, audit)
  const pageDeps = {
    ...{ store, readModel, clock, publicUrl, prices, contact, recheck, crawl, scans, mcpVerifier },
    hostClaims: openHostClaims(scope, storage),
    disputes: openDisputes(scope, storage),
    lookSubmitted: audit.auditor.lookSubmitted,
    developmentHosts: config.developmentAllowHosts,
    webhooks: openWebhooks(store, clock, config.developmentAllowHosts),
    readDocument: (url: string) => audit.prober.document(url, AbortSignal.timeout(DOCUMENT_MS)),
  }
  const server = createHttpServer(
    createHttpApp({
      answers,
      paywall,
      snapshots,
      pages: createPages(pageDeps),
      errorPages: createErrorPages({ publicUrl, prices }),
      clock,
      publicUrl,
      jwks: () => proveKeys(store.log, signer.jwks()),
      prices,
      mapFiles: storage.mapFiles,
      cacheBytes: config.answerCacheBytes,
      rateLimit: { points: config.rateLimitPerMinute, windowSeconds: 60 },
      trustProxy: config.trustProxy,
      readiness: () => checkReadiness(store, crawl(), clock.now()),
      onRequest: (record) => {
        metrics.request(record)
        onRequest?.(record)
      },
      onError: scope.warn('request'),
    }),
  )
  const url = await listen(server, config, 'HOST, PORT')
  scope.onStop(() => stopHttpServer(server))
  return url
}

function warmTokens(scope: Scope, { source }: Audit): void {
  const { warmTokens: tokens } = scope.config
  const onError = (token: string, error: unknown) => scope.warn(`chain: token ${token}`)(error)
  const warmer = createTokenWarmer({ source, tokens, windowSeconds: WARM_SECONDS, onError })
  scope.onStop(() => warmer.stop())
  if (tokens.length > 0) warmer.start()
}
