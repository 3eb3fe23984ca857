import { join } from 'node:path'
import type { Chain } from '@touchstone402/transfers'
import { createChecks } from '../checks/createChecks.ts'
import type { Context } from '../context.ts'
import { readHostRows } from '../directories/createHostDocuments.ts'
import { HOUR } from '../facts/times.ts'
import { createAnswers } from '../http/answers/createAnswers.ts'
import { createSnapshots } from '../http/answers/createSnapshots.ts'
import { createHttpApp } from '../http/createHttpApp.ts'
import { createHttpServer, stopHttpServer } from '../http/createHttpServer.ts'
import type { AnswerCache } from '../http/free/answerCache.ts'
import { createDecisionSigner } from '../keys/createDecisionSigner.ts'
import { listen } from '../lib/listen.ts'
import { proveKeys } from '../log/proveKeys.ts'
import type { ClaimReader } from '../owners/hostClaims.ts'
import { createWebhookAdder } from '../owners/manageWebhooks.ts'
import { createUnpaidCaller } from '../probe/createUnpaidCaller.ts'
import { keyLeaf } from '../publish/leaves.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import { createPages } from '../site/createPages.ts'
import { createErrorPages } from '../site/errors/errors.tsx'
import { createSoldTokens } from '../tokens/soldTokens.ts'
import { createTokenDays } from '../tokens/tokenDays.ts'
import type { Audit } from './audit.ts'
import type { Crawl } from './crawl.ts'
import type { Health } from './health/createHealth.ts'
import { openMcpVerifier } from './mcp.ts'
import type { Sales } from './sales.ts'
import type { Scope } from './scope.ts'
import { traceTokens } from './tokens.ts'

type HttpParts = {
  readonly ctx: Context
  readonly readModel: ReadModel
  readonly cache: AnswerCache
  readonly chain: Chain
  readonly audit: Audit
  readonly claimReader: ClaimReader
  readonly crawl: Crawl
  readonly sales: Sales
  readonly health: Pick<Health, 'read'>
}

/** Time limit for reading the chain for a token answer. */
const READ_MS = 7000

// Below the time limit of a page.
const DOCUMENT_MS = 8000

/**
 * Opens the HTTP server and starts listening.
 * @returns the URL
 * @throws Error if the port is in use or the signing key is unusable
 */
export async function openHttp(scope: Scope, parts: HttpParts): Promise<string> {
  const { ctx, readModel, cache, chain, audit, claimReader, crawl, health } = parts
  const { config, clock, store } = ctx
  const { paywall } = parts.sales
  const signer = await createDecisionSigner({ directory: config.dataDir, file: config.signingKeyFile })
  await store.write(
    'addLeaves',
    signer.jwks().keys.map(({ kid }) => keyLeaf('decisions', `${kid}`, clock.now())),
  )
  const snapshots = await createSnapshots({
    directory: join(config.dataDir, 'snapshots'),
    isShared: config.databaseUrl !== null,
  })
  scope.every(HOUR, 'snapshots', snapshots.sweep)
  const answers = createAnswers(ctx, {
    readModel,
    auditor: audit.auditor,
    signer,
    snapshots,
    readMs: scope.options.readMs ?? READ_MS,
    tokens: traceTokens(scope, chain),
  })
  const pages = createPages({
    ...ctx,
    readModel,
    claimReader,
    crawl: crawl.progress,
    tokenDays: createTokenDays(ctx),
    checks: openChecks(scope, ctx, audit, crawl),
    verifyMcp: openMcpVerifier(scope, ctx, audit),
    addWebhook: createWebhookAdder(ctx),
    readDocument: (url) => audit.prober.document(url, AbortSignal.timeout(DOCUMENT_MS)),
  })
  const app = createHttpApp(ctx, {
    answers,
    paywall,
    snapshots,
    pages,
    errorPages: createErrorPages(ctx),
    jwks: () => proveKeys(store, signer.jwks()),
    cache,
    readiness: health.read,
    soldTokens: createSoldTokens(ctx),
    onRequest: scope.options.onRequest,
  })
  const server = createHttpServer(ctx, app)
  const url = await listen(server, config, 'HOST, PORT')
  scope.onStop(
    'calls',
    ({ ms, lingerMs }) => stopHttpServer(server, { graceMs: ms, lingerMs, onCut: parts.sales.noteCut }),
    'calls',
  )
  return url
}

/** Opens the public checks. */
function openChecks(
  { reach, onStop }: Scope,
  ctx: Context,
  { auditor, hostDocuments, prober }: Audit,
  crawl: Crawl,
) {
  const caller = createUnpaidCaller({ ...reach, egress: ctx.config.egress.checks })
  const checks = createChecks(ctx, {
    auditor,
    caller,
    // Host documents are read uncached, so that a recent change counts.
    readDeclared: (origin) => readHostRows(hostDocuments, prober, origin, 0),
    probeFirst: crawl.request,
  })
  ctx.stopping.addEventListener('abort', () => void checks.close(), { once: true })
  onStop('checks', async () => {
    await caller.close()
    await checks.close()
  })
  return checks
}
