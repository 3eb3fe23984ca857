import { BASE } from '@touchstone402/shared'
import type { Chain } from '@touchstone402/transfers'
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

/** The parts that probe and judge endpoints. */
export type Audit = ReturnType<typeof openAudit>

/**
 * Opens the audit.
 * @param shopper our own accounts that make test purchases
 */
export function openAudit(
  scope: Scope,
  { ctx, readModel, chain }: { readonly ctx: Context; readonly readModel: ReadModel; readonly chain: Chain },
  shopper: Pick<ShopperAccounts, 'addresses'> | null,
) {
  const { config, clock } = ctx
  const prober = traceProbes(scope, scope.options.prober ?? openProber(scope, ctx))
  scope.onStop('probes', () => prober.close())
  const hostDocuments = createHostDocuments({ parse: scope.documents.hostPage, now: clock.now })
  const context = createAuditContext(ctx, {
    prober,
    // Receivers are on Base: another chain would answer that they were never paid.
    chain: config.network === BASE ? chain : null,
    readDeclared: (document, origin) => readHostRows(hostDocuments, { document }, origin),
    readModel,
    ownAccounts: shopper,
  })
  return { context, prober, hostDocuments, auditor: createAuditor(context) }
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
  return options.hasThreads
    ? createThreadProber(way, { ...PROBER_THREAD, onError: warn('probes') })
    : createProber(way)
}
