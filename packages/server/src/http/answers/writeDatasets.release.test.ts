import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { toRow } from '../../publish/hostIndex.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { documentOf, NOON } from '../../store/testing/records.ts'
import { createAnsweredStore } from '../../store/testing/withFaults.ts'

import { writeCatalog, writeTrustDataset } from './writeDatasets.ts'

const HOSTS = 20_000

/** A store that makes up its hosts as they are read, so it holds none. */
function createVastStore() {
  const nameOf = (number: number) => `h${`${number}`.padStart(6, '0')}.example`
  const documentAt = (host: string) => {
    const { endpoints, ...rest } = documentOf(host, NOON)
    const listed = Array.from({ length: 2 }, (_, path) =>
      endpoints.map((one) => ({ ...one, endpoint: `https://${host}/${path}` })),
    )
    return { ...rest, endpoints: listed.flat() }
  }
  const summaryOf = (host: string) => {
    const document = documentAt(host)
    return { ...document, endpoints: document.endpoints.map(toRow) }
  }
  const store = createAnsweredStore(({ sql, parameters }) => {
    const [host] = parameters
    // The last value of a read of hosts is no host.
    const hosts = parameters.slice(0, -1).map(String)
    if (sql.includes('"row_json" as "json"'))
      return hosts.flatMap((name) => rowsOf(name, summaryOf(name).endpoints))
    if (sql.includes('"state_json" as "json"'))
      return hosts.flatMap((name) => rowsOf(name, documentAt(name).endpoints))
    if (!sql.startsWith('select "name" from "host" where "rank"')) return sql.includes('count(') ? [NONE] : []
    const [limit = 0, skip = 0] = parameters.slice(-2).map(Number)
    const count = host === 0 ? Math.max(0, Math.min(limit, HOSTS - skip)) : 0
    return Array.from({ length: count }, (_, index) => ({ name: nameOf(skip + index) }))
  })
  return { ...store, totals: createMemoryStore().totals }
}

const NONE = { count: 0, total: 0 }
const rowsOf = (host: string, endpoints: readonly object[]) =>
  endpoints.map((one) => ({ host, json: JSON.stringify(one), updated_at: NOON }))

test('behavior: answers over many hosts are written without holding them', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const ctx = {
    store: createVastStore(),
    clock: { ...systemClock, now: () => NOON },
  }
  for (const write of [
    () => writeCatalog(ctx),
    () => writeTrustDataset(ctx, { all: false, limit: 50_000 }),
  ]) {
    collect()
    const before = process.memoryUsage().heapUsed
    let [chars, most, records] = [0, 0, 0]
    for await (const chunk of write()) {
      const isNext = Math.floor((chars + chunk.length) / 5e6) > Math.floor(chars / 5e6)
      chars += chunk.length
      records += chunk.split('"trustScore"').length - 1
      if (!isNext) continue
      collect()
      most = Math.max(most, process.memoryUsage().heapUsed - before)
    }
    expect(records).toBe(HOSTS)
    expect(chars).toBeGreaterThan(15e6)
    expect(most).toBeLessThan(8e6)
  }
})
