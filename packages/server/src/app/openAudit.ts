import { join } from 'node:path'
import { BASE } from '@touchstone402/shared'
import { createTransferSource, type TransferSource } from '@touchstone402/transfers'
import { readHostRows } from '../adapters/directory/createHostDirectory.ts'
import { createProber } from '../adapters/probe/createProber.ts'
import { createThreadProber } from '../adapters/probe/thread/createThreadProber.ts'
import { auditAlone } from '../audit/auditAlone.ts'
import { type Auditor, createAuditor } from '../audit/createAuditor.ts'
import { createReceiverProfiler } from '../audit/profileReceiver.ts'
import { createAnnouncementReader } from '../audit/readAnnouncement.ts'
import { createOptOutReader, type OptOutReader } from '../audit/readOptOut.ts'
import { createReceiverProofReader } from '../audit/readReceiverProof.ts'
import type { Prober } from '../ports/prober.ts'
import type { Storage } from './openStorage.ts'
import type { Scope } from './scope.ts'

/** The parts that probe and judge endpoints. */
export type Audit = {
  readonly source: TransferSource
  readonly prober: Prober
  readonly optOut: OptOutReader
  /** For the crawl, which has locked its host already. */
  readonly crawlAuditor: Auditor
  /** For everything else; locks the host first. */
  readonly auditor: Auditor
}

/**
 * Opens the audit.
 * @param shopper our own address that makes test purchases
 * @param prober probes endpoints. @default over the network
 */
export function openAudit(
  scope: Scope,
  { store, readModel, queue }: Storage,
  { shopper, prober = openProber(scope) }: { shopper?: string | undefined; prober?: Prober | undefined },
): Audit {
  const { config, clock, newId, newSalt } = scope
  const source = createTransferSource({
    chainId: Number(config.network.slice('eip155:'.length)),
    urls: config.rpcUrls,
    cacheFolder: join(config.dataDir, 'chain'),
  })
  scope.onStop(() => source.close())
  // Receivers are on Base: another chain would answer that they were never paid.
  const baseSource = config.network === BASE ? source : null
  scope.onStop(() => prober.close())
  const onError = scope.warn('chain')
  const optOut = createOptOutReader({ prober, clock })
  const crawlAuditor = createAuditor({
    store,
    prober,
    categoryPrice: readModel.categoryPrice,
    profiler: createReceiverProfiler({
      source: baseSource,
      sanctionsOracle: config.sanctionsOracle,
      ignoredPayer: shopper,
      store,
      clock,
      newId,
      onError,
    }),
    announcements: createAnnouncementReader({ prober, source: baseSource, clock, newId, onError }),
    optOut,
    receiverProofs: createReceiverProofReader({ documents: optOut, contracts: baseSource, clock, newId }),
    readDeclared: (origin) => readHostRows(prober, origin),
    clock,
    random: Math.random,
    newId,
    newSalt,
    onProbe: scope.metrics.probe,
  })
  const auditor = queue === null ? crawlAuditor : auditAlone(crawlAuditor, queue)
  return { source, prober, optOut, crawlAuditor, auditor }
}

function openProber({ config, lookup, hasProberThread, warn }: Scope): Prober {
  const probing = {
    contact: config.contact,
    allowPrivate: config.developmentAllowHosts,
    ...(lookup && { lookup }),
  }
  return hasProberThread ? createThreadProber(probing, { onError: warn('probes') }) : createProber(probing)
}
