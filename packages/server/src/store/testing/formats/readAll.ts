import { toDate } from '../../../facts/times.ts'
import { SAMPLE_NOW } from '../../../site/testing/sampleServices.ts'
import { readClaim } from '../../claims.ts'
import { listAudits, readDocuments, readMapFile } from '../../documents.ts'
import { readState } from '../../endpoints.ts'
import {
  readEndpointFacts,
  readHostFacts,
  readPurchases,
  readReceiverRecords,
  readReports,
} from '../../facts.ts'
import { readChanges, readIncidents } from '../../feeds.ts'
import { readHost, readHosts, readSummary } from '../../hosts.ts'
import { readHead, readLeaves, readLogSize } from '../../log.ts'
import { readDays, readObservations } from '../../observations.ts'
import { readStandingVerdicts } from '../../standing.ts'
import type { Store } from '../../store.ts'
import { aPurchase, aReceiver, aWantedClaim } from '../records.ts'
import { DOCUMENT_KINDS } from './fillStore.ts'

/** Asks a store for everything that `fillStore` writes. */
export async function readAll(store: Store): Promise<object> {
  const endpoints = []
  for (const host of await readHosts(store, { order: 'names', limit: 100 }, SAMPLE_NOW)) {
    const document = await readHost(store, host)
    for (const { endpoint } of document?.endpoints ?? [])
      endpoints.push({
        document,
        summary: await readSummary(store, host),
        hostFacts: await readHostFacts(store, host),
        state: await readState(store, endpoint),
        facts: await readEndpointFacts(store, endpoint),
        observations: await readObservations(store, endpoint),
        days: await readDays(store, endpoint),
      })
  }
  const documents: Record<string, unknown[]> = {}
  for (const kind of DOCUMENT_KINDS) {
    documents[kind] = []
    for await (const { data } of readDocuments(store, kind, '', SAMPLE_NOW)) documents[kind].push(data)
  }
  const audits = []
  for await (const audit of listAudits(store)) audits.push(audit)
  const size = await readLogSize(store)
  const { network, address } = aReceiver()
  const all = { since: 0, limit: 100 }
  return {
    endpoints,
    documents,
    audits,
    purchases: await readPurchases(store, aPurchase().host),
    receiver: await readReceiverRecords(store, network, address),
    changes: await readChanges(store, all),
    incidents: await readIncidents(store, all),
    reports: await readReports(store),
    standing: await readStandingVerdicts(store, {
      date: toDate(SAMPLE_NOW),
      after: '',
      limit: 100,
      now: SAMPLE_NOW,
    }),
    totals: await store.totals(SAMPLE_NOW),
    payment: await readClaim(store, aWantedClaim(), SAMPLE_NOW),
    log: { size, entries: await readLeaves(store, 0, size), head: await readHead(store) },
    map: [await readMapFile(store, '1'), await readMapFile(store, 'latest')].map(String),
  }
}
