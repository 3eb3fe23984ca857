import { join } from 'node:path'
import { BASE } from '@touchstone402/shared'
import { createRpcCounts, createTransferSource } from '@touchstone402/transfers'
import { createPublicClient, custom } from 'viem'
import { createAuditor } from '../audit/createAuditor.ts'
import { createPermittedDocument } from '../audit/createPermittedDocument.ts'
import { createHostLeases } from '../audit/hostLeases.ts'
import { createReceiverProfiler } from '../audit/profileReceiver.ts'
import { createAnnouncementReader } from '../audit/readAnnouncement.ts'
import { createOptOutReader } from '../audit/readOptOut.ts'
import { createReceiverProofReader } from '../audit/readReceiverProof.ts'
import type { Context } from '../context.ts'
import { createHostDocuments, readHostRows } from '../directories/createHostDocuments.ts'
import { drawRandom } from '../lib/drawRandom.ts'
import { createProber } from '../probe/createProber.ts'
import type { Prober } from '../probe/prober.ts'
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
  const { config, clock, metrics, store } = ctx
  const { newId, newSalt } = ctx.ids
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
  // Receivers are on Base: another chain would answer that they were never paid.
  const baseSource = config.network === BASE ? source.countedAs('receivers') : null
  const prober = traceProbes(scope, scope.options.prober ?? openProber(scope))
  scope.onStop('probes', () => prober.close())
  const onError = scope.warnUntilStop('chain')
  const optOut = createOptOutReader({ prober, clock })
  const document = createPermittedDocument(optOut, prober)
  const hostDocuments = createHostDocuments({ parse: scope.documents.hostPage, now: clock.now })
  const hostLeases = createHostLeases({ leases: store, clock, onError: scope.warn('leases') })
  const auditor = createAuditor({
    store,
    hostLeases,
    prober,
    categoryPrice: readModel.categoryPrice,
    lookalike: readModel.lookalike,
    profiler: createReceiverProfiler({
      source: baseSource,
      sanctionsOracle: config.sanctionsOracle,
      ignoredPayers: shopper?.addresses,
      store,
      clock,
      newId,
      onError,
    }),
    announcements: createAnnouncementReader({ prober, source: baseSource, clock, newId, onError }),
    optOut,
    receiverProofs: createReceiverProofReader({ documents: optOut, contracts: baseSource, clock, newId }),
    readDeclared: (origin) => readHostRows(hostDocuments, { document }, origin),
    clock,
    random: drawRandom,
    shopping: config.shopper && { network: config.network, perCallUsd: Number(config.shopper.perCallUsd) },
    newId,
    newSalt,
    onProbe: metrics.probe,
  })
  return { source, rpcCounts, chain, prober, document, hostDocuments, hostLeases, auditor }
}

function traceProbes({ trace }: Scope, prober: Prober): Prober {
  return {
    ...prober,
    probe: (target, signal) =>
      trace('probe', { 'server.address': new URL(target.url).host }, () => prober.probe(target, signal)),
  }
}

function openProber({ config, options, reach, warn }: Scope): Prober {
  const way = { ...reach, egress: config.egress.prober, realClients: options.realClients ?? [] }
  return options.hasProberThread
    ? createThreadProber(way, { ...PROBER_THREAD, onError: warn('probes') })
    : createProber(way)
}
