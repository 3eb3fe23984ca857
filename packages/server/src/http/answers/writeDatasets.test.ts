import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../adapters/store/memory/createMemoryStore.ts'
import { documentOf, NOON } from '../../adapters/store/testing/records.ts'
import { indexHost, toRow } from '../../domain/publish/hostIndex.ts'
import { writeCatalog } from './writeCatalog.ts'
import { writeTrustDataset } from './writeDatasets.ts'

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
  const [entry] = indexHost(summaryOf(nameOf(0)), NOON).entries.filter(({ index }) => index === 'working')
  return {
    ...createMemoryStore(),
    async *ranked(_index: string, _now: number, { limit = HOSTS, prefix = '' } = {}) {
      if (entry?.key.startsWith(prefix))
        for (let number = 0; number < Math.min(limit, HOSTS); number++)
          yield entry.key.replace(nameOf(0), nameOf(number))
    },
    host: async (host: string) => documentAt(host),
    summary: async (host: string) => summaryOf(host),
    counts: async (prefix: string) => new Map(prefix === 'hosts/' ? [['hosts/working', HOSTS]] : []),
  }
}

test('behavior: answers over many hosts are written without holding them', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const deps = {
    store: createVastStore(),
    mcpAudits: { all: async function* () {} },
    clock: { now: () => NOON },
  }
  for (const write of [
    () => writeCatalog(deps),
    () => writeTrustDataset(deps, { all: false, limit: 50_000 }),
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
