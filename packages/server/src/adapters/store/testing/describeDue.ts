import { describe, expect, test } from 'vitest'
import { HOUR } from '../../../domain/facts/times.ts'
import { aDocument } from './documents.ts'
import { aListing, NOON } from './records.ts'
import { type Home, useStore } from './useStore.ts'

/** Tests what a store says of due work. */
export function describeDue(name: string, createHome: () => Promise<Home>, persistent: boolean): void {
  describe(`${name} due work`, () => {
    const home = useStore(createHome)
    const endpoint = (index: number) => `https://h${index}.example/a`
    const listed = (index: number, at: number) =>
      aListing({ endpoint: endpoint(index), host: `h${index}.example`, at })

    test('default: takes the earliest keys and makes them due again', async () => {
      const { store } = home
      await store.append([listed(2, NOON + 2), listed(1, NOON + 1), listed(3, NOON + 3), listed(4, NOON + 9)])
      expect(await store.nextDue('looks')).toBe(NOON + 1)
      expect(await store.countDue('looks', NOON + 3)).toBe(3)
      expect(await store.claimDue('looks', NOON + 3, NOON + HOUR, 2)).toEqual([endpoint(1), endpoint(2)])
      expect(await store.claimDue('looks', NOON + 3, NOON + HOUR, 2)).toEqual([endpoint(3)])
      expect(await store.claimDue('looks', NOON + 3, NOON + HOUR, 2)).toEqual([])
      expect(await store.nextDue('looks')).toBe(NOON + 9)
      expect(await store.countDue('looks', NOON + HOUR)).toBe(4)
      expect(await store.claimDue('looks', NOON + HOUR, NOON + 2 * HOUR, 9)).toHaveLength(4)
    })

    test('default: nothing is due in an empty store', async () => {
      const { store } = home
      expect(await store.nextDue('documents')).toBeNull()
      expect(await store.countDue('looks', NOON)).toBe(0)
      expect(await store.claimDue('looks', NOON, NOON + HOUR, 9)).toEqual([])
    })

    test('behavior: a document sets when its endpoint is due, and a listing does not change it', async () => {
      const { store } = home
      await store.append([listed(1, NOON), listed(1, NOON - HOUR)])
      expect(await store.nextDue('looks')).toBe(NOON)
      const nextProbeAt = NOON + 3 * HOUR
      await store.putEndpoint(aDocument({ endpoint: endpoint(1), nextProbeAt }))
      expect(await store.nextDue('looks')).toBe(nextProbeAt)
      await store.append([listed(1, NOON + 1)])
      expect(await store.nextDue('looks')).toBe(nextProbeAt)
      await store.putEndpoint(aDocument({ endpoint: endpoint(1), nextProbeAt: NOON }), {
        facts: [listed(1, NOON + 2)],
        days: [],
      })
      expect(await store.countDue('looks', NOON)).toBe(1)
      expect(await store.nextDue('looks')).toBe(NOON)
    })

    test('behavior: the documents of a host are due with its first document, once', async () => {
      const { store } = home
      await store.putEndpoint(aDocument({ endpoint: endpoint(1) }))
      expect(await store.claimDue('documents', NOON, NOON + HOUR, 9)).toEqual(['h1.example'])
      await store.putEndpoint(aDocument({ endpoint: endpoint(1), derivedAt: NOON + 1 }))
      await store.putEndpoint(aDocument({ endpoint: `${endpoint(1)}/b`, derivedAt: NOON + 1 }))
      expect(await store.claimDue('documents', NOON + 1, NOON + HOUR, 9)).toEqual([])
      expect(await store.nextDue('documents')).toBe(NOON + HOUR)
    })

    test('behavior: of parallel claims each key goes to one', async () => {
      const { store } = home
      await store.append(Array.from({ length: 30 }, (_, index) => listed(index, NOON)))
      const taken = await Promise.all(
        Array.from({ length: 12 }, () => store.claimDue('looks', NOON, NOON + HOUR, 4)),
      )
      const all = taken.flat()
      expect(new Set(all).size).toBe(all.length)
      const rest = await store.claimDue('looks', NOON, NOON + HOUR, 99)
      expect(new Set([...all, ...rest]).size).toBe(30)
      expect(await store.claimDue('looks', NOON, NOON + HOUR, 99)).toEqual([])
    })

    if (!persistent) return
    test('behavior: what was taken comes back after reopening', async () => {
      await home.store.append([listed(1, NOON)])
      await home.store.claimDue('looks', NOON, NOON + HOUR, 9)
      const store = await home.reopen()
      expect(await store.claimDue('looks', NOON + HOUR, NOON + 2 * HOUR, 9)).toEqual([endpoint(1)])
    })
  })
}
