import { describe, expect, test } from 'vitest'
import { toRow } from '../../../domain/publish/hostIndex.ts'
import type { Changed } from '../../../ports/store.ts'
import { aDocument } from './documents.ts'
import { aChange, aListing, anObservation, NOON } from './records.ts'
import { type Home, listOf, useStore } from './useStore.ts'

const day = (date: string, up: number, endpoint = 'https://api.example/a') => ({
  endpoint,
  host: 'api.example',
  date,
  up,
  down: 0,
  notMeasured: 1,
  latencyMsP50: 40,
  latencyMsP90: null,
})

/** Tests how a store keeps documents. */
export function describeDocuments(name: string, createHome: () => Promise<Home>, persistent: boolean): void {
  describe(`${name} documents`, () => {
    const home = useStore(createHome)

    test('default: a document replaces the previous one, in its host and summary too', async () => {
      const { store } = home
      const a = aDocument()
      const b = aDocument({ endpoint: 'https://api.example/b', derivedAt: NOON + 1 })
      const later = aDocument({ derivedAt: NOON + 2, score: 70 })
      await store.putEndpoint(b)
      await store.putEndpoint(a)
      await store.putEndpoint(aDocument({ endpoint: 'https://other.example/' }))
      await store.putEndpoint(later)
      expect(await store.endpoint('https://api.example/a')).toEqual(later)
      expect(await store.state('https://api.example/a')).toEqual({ state: later.state })
      expect(await store.host('api.example')).toEqual({
        host: 'api.example',
        endpoints: [later.state, b.state],
        updatedAt: NOON + 2,
      })
      expect(await store.summary('api.example')).toEqual({
        host: 'api.example',
        endpoints: [toRow(later.state), toRow(b.state)],
        updatedAt: NOON + 2,
      })
      expect(await store.newestAt()).toBe(NOON + 2)
    })

    test('default: returns nothing of unknown endpoints and hosts', async () => {
      const { store } = home
      expect(await store.endpoint('https://api.example/a')).toBeUndefined()
      expect(await store.state('https://api.example/a')).toBeUndefined()
      expect(await store.host('__proto__')).toBeUndefined()
      expect(await store.summary('api.example')).toBeUndefined()
      expect(await store.newestAt()).toBeNull()
    })

    test('default: writes facts and ended days with the document', async () => {
      const { store } = home
      const change = { kind: 'change', id: 'f1', at: NOON, change: aChange() } as const
      const days = [day('2026-05-30', 7), day('2026-05-31', 8)]
      await store.putEndpoint(aDocument(), { facts: [anObservation(), aListing(), change], days })
      await store.putEndpoint(aDocument(), { facts: [], days: [day('2026-05-30', 9), day('2026-05-29', 1)] })
      expect(await listOf(store.looks('https://api.example/a'))).toEqual([anObservation()])
      expect((await store.endpointFacts('https://api.example/a')).changes).toEqual([aChange()])
      expect(await store.days('https://api.example/a')).toEqual([
        day('2026-05-29', 1),
        day('2026-05-30', 9),
        day('2026-05-31', 8),
      ])
      expect(await store.days('https://api.example/b')).toEqual([])
    })

    test('behavior: parallel writes at one host all appear in its document and totals', async () => {
      const documents = Array.from({ length: 40 }, (_, index) =>
        aDocument({ endpoint: `https://api.example/${String(index).padStart(2, '0')}` }),
      )
      await Promise.all(documents.map((document) => home.store.putEndpoint(document)))
      const host = await home.store.host('api.example')
      expect(host?.endpoints).toEqual(documents.map(({ state }) => state))
      expect(await home.store.count('status/live')).toBe(40)
      expect(await home.store.count('hosts/all')).toBe(1)
    })

    test('default: tells watchers of each document until they leave', async () => {
      const { store } = home
      const seen: (Changed | null)[] = []
      const leave = await store.watch((changed) => seen.push(changed))
      await store.append([aListing()])
      await store.putEndpoint(aDocument())
      await store.putEndpoint(aDocument({ endpoint: 'https://other.example/' }))
      await expect
        .poll(() => seen)
        .toEqual([
          { host: 'api.example', endpoint: 'https://api.example/a' },
          { host: 'other.example', endpoint: 'https://other.example/' },
        ])
      await leave()
      await store.putEndpoint(aDocument())
      expect(seen).toHaveLength(2)
    })

    if (!persistent) return
    test('behavior: documents, totals and due times survive reopening', async () => {
      await home.store.putEndpoint(aDocument(), { facts: [], days: [day('2026-05-31', 8)] })
      const store = await home.reopen()
      expect(await store.endpoint('https://api.example/a')).toEqual(aDocument())
      expect(await store.count('hosts/all')).toBe(1)
      expect(await store.nextDue('looks')).toBe(aDocument().state.nextProbeAt)
      expect(await store.days('https://api.example/a')).toEqual([day('2026-05-31', 8)])
      await store.putEndpoint(aDocument({ endpoint: 'https://api.example/b' }))
      expect(await store.count('status/live')).toBe(2)
      expect(await store.newestAt()).toBe(NOON)
    })
  })
}
