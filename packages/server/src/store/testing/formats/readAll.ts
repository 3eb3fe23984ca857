import { toDate } from '../../../facts/times.ts'
import type { Store } from '../../../ports/store.ts'
import { SAMPLE_NOW } from '../../../site/testing/sampleServices.ts'
import { aPurchase, aReceiver, aWantedClaim } from '../records.ts'
import { DOCUMENT_KINDS } from './fillStore.ts'

/** Asks a store for everything that `fillStore` writes. */
export async function readAll(store: Store): Promise<object> {
  const endpoints = []
  for (const host of await store.hosts({ order: 'names', limit: 100 }, SAMPLE_NOW)) {
    const document = await store.host(host)
    for (const { endpoint } of document?.endpoints ?? [])
      endpoints.push({
        document,
        summary: await store.summary(host),
        hostFacts: await store.hostFacts(host),
        state: await store.endpoint(endpoint),
        facts: await store.endpointFacts(endpoint),
        observations: await store.observations(endpoint),
        days: await store.days(endpoint),
      })
  }
  const documents: Record<string, unknown[]> = {}
  for (const kind of DOCUMENT_KINDS) {
    documents[kind] = []
    for await (const { data } of store.expiring.list(kind, '', SAMPLE_NOW)) documents[kind].push(data)
  }
  const audits = []
  for await (const audit of store.mcpAudits.all()) audits.push(audit)
  const size = await store.log.size()
  const { network, address } = aReceiver()
  const all = { since: 0, limit: 100 }
  return {
    endpoints,
    documents,
    audits,
    purchases: await store.purchases(aPurchase().host),
    receiver: await store.receiver(network, address),
    changes: await store.changes(all),
    incidents: await store.incidents(all),
    reports: await store.reports(),
    standing: await store.standing({ date: toDate(SAMPLE_NOW), after: '', limit: 100, now: SAMPLE_NOW }),
    totals: await store.totals(SAMPLE_NOW),
    payment: await store.claims.get(aWantedClaim()),
    log: { size, entries: await store.log.entries(0, size), head: await store.log.head() },
    map: [await store.mapFiles.read('1'), await store.mapFiles.read('latest')].map(String),
  }
}
