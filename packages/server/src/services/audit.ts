import { join } from 'node:path'
import { BASE } from '@touchstone402/shared'
import { createRpcCounts, createTransferSource } from '@touchstone402/transfers'
import { createPublicClient, custom } from 'viem'
import { createAuditContext } from '../audit/auditContext.ts'
import { createAuditor } from '../audit/createAuditor.ts'
import type { Context } from '../context.ts'
import { createHostDocuments, readHostRows } from '../directories/createHostDocuments.ts'
import type { Prober } from '../lib/prober.ts'
import { createProber } from '../probe/createProber.ts'
import { createThreadProber } from '../probe/thread/createThreadProber.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import type { ShopperAccounts } from '../shop/accounts.ts'
import type { Scope } from './scope.ts'
import { PROBER_THREAD } from './threads.ts'

/** The parts that read the chain, and probe and judge endpoints. */
export type Audit = ReturnType<typeof openAudit>

/**
 * Opens the audit.
 * @param shopper our own accounts that make test purchases
 */
export function openAudit(
  scope: Scope,
  { ctx, readModel }: { readonly ctx: Context; readonly readModel: ReadModel },
  shopper: Pick<ShopperAccounts, 'addresses'> | null,
) {
  const { config, clock } = ctx
  const rpcCounts = createRpcCounts()
  const source = createTransferSource({
    chainId: Number(config.network.slice('eip155:'.length)),
    urls: config.rpcUrls,
    cacheFolder: join(config.dataDir, 'chain'),
    counts: rpcCounts,
    now: Date.now,
  })
  scope.onStop('chain', () => source.close())
  const settling = source.countedAs('settlements')
  const request = ({ method, params }: { method: string; params?: readonly unknown[] }) =>
    settling.request(method, params ?? [])
  // The source retries by itself.
  const chain = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const prober = traceProbes(scope, scope.options.prober ?? openProber(scope, ctx))
  scope.onStop('probes', () => prober.close())
  const hostDocuments = createHostDocuments({ parse: scope.documents.hostPage, now: clock.now })
  const context = createAuditContext(ctx, {
    prober,
    // Receivers are on Base: another chain would answer that they were never paid.
    chain: config.network === BASE ? source.countedAs('receivers') : null,
    readDeclared: (document, origin) => readHostRows(hostDocuments, { document }, origin),
    readModel,
    ownAccounts: shopper,
  })
  return { context, source, rpcCounts, chain, prober, hostDocuments, auditor: createAuditor(context) }
}

function traceProbes({ trace }: Scope, prober: Prober): Prober {
  return {
    ...prober,
    probe: (target, signal) =>
      trace('probe', { 'server.address': new URL(target.url).host }, () => prober.probe(target, signal)),
  }
}

function openProber({ options, reach, warn }: Scope, { config }: Context): Prober {
  const way = { ...reach, egress: config.egress.prober, realClients: options.realClients ?? [] }
  return options.hasProberThread
    ? createThreadProber(way, { ...PROBER_THREAD, onError: warn('probes') })
    : createProber(way)
}
