import { writeLeaf } from '@touchstone402/shared/leaves'
import {
  EMPTY_ROOT,
  hashLeaf,
  hashNode,
  readFromTiles,
  rootOf,
  TILE_WIDTH,
} from '@touchstone402/transparency'
import { describe, expect, test } from 'vitest'
import type { NewLeaf } from '../../facts/leaves.ts'
import { decisionKey, signingKeyKey } from '../../facts/leaves.ts'
import type { LogStore } from '../../ports/log.ts'
import { aState } from './documents.ts'
import { NOON } from './records.ts'
import { type Home, useStore } from './useStore.ts'

const endpoint = (number: number) => `https://h${number}.example/a`
const leafOf = (number: number, more: Partial<NewLeaf> = {}): NewLeaf => ({
  ...writeLeaf({ kind: 'map', at: new Date(NOON + number).toISOString(), version: number }, null),
  key: `map ${number}`,
  ...more,
})

/** RFC 6962, section 2.1, as it is written there. */
function plainRoot(leaves: readonly string[]): Uint8Array {
  const [first] = leaves
  if (first === undefined) return EMPTY_ROOT
  if (leaves.length === 1) return hashLeaf(Buffer.from(first))
  let middle = 1
  while (middle * 2 < leaves.length) middle *= 2
  return hashNode(plainRoot(leaves.slice(0, middle)), plainRoot(leaves.slice(middle)))
}

async function readRoot(log: LogStore): Promise<Uint8Array> {
  const size = await log.size()
  const read = readFromTiles(size, async (wanted) => {
    const places = wanted.map(({ level, index }) => ({ level: Number(level), index }))
    return (await log.tiles(places)).map((tile) => tile ?? new Uint8Array())
  })
  return rootOf(size, read)
}

/** Tests the log of a store. */
export function describeLog(name: string, createHome: () => Promise<Home>): void {
  describe(`${name}: the log`, () => {
    const home = useStore(createHome)

    test('default: an empty log', async () => {
      const { log } = home.store
      expect([await log.size(), await log.countWaiting(), await log.sequence(9), await log.head()]).toEqual([
        0,
        0,
        0,
        null,
      ])
      expect(await log.find('map 1')).toBeUndefined()
      expect(await log.tiles([{ level: 0, index: 0 }])).toEqual([undefined])
    })

    test('behavior: leaves wait, and get their places in order', async () => {
      const { log } = home.store
      const leaves = Array.from({ length: 5 }, (_, number) => leafOf(number))
      await log.add(leaves.slice(0, 3))
      await log.add(leaves.slice(3))
      expect([await log.size(), await log.countWaiting(), await log.find('map 4')]).toEqual([0, 5, null])
      expect([await log.sequence(4), await log.sequence(4), await log.sequence(4)]).toEqual([4, 1, 0])
      expect([await log.size(), await log.countWaiting(), await log.find('map 4')]).toEqual([5, 0, 4])
      const texts = leaves.map(({ leaf, opening }) => ({ leaf, opening }))
      expect(await log.entries(1, 9)).toEqual(texts.slice(1))
      expect(await readRoot(log)).toEqual(plainRoot(leaves.map(({ leaf }) => leaf)))
    })

    test('behavior: tiles grow over several levels, whatever the batches', async () => {
      const { log } = home.store
      const leaves = Array.from({ length: 2 * TILE_WIDTH + 3 }, (_, number) => leafOf(number))
      for (const batch of [1, 254, 1, 2, 257]) {
        await log.add(leaves.slice(await log.size(), (await log.size()) + batch))
        expect(await log.sequence(999)).toBe(batch)
        const size = await log.size()
        expect(await readRoot(log)).toEqual(plainRoot(leaves.slice(0, size).map(({ leaf }) => leaf)))
      }
      const [whole, partial, above] = await log.tiles([
        { level: 0, index: 1 },
        { level: 0, index: 2 },
        { level: 1, index: 0 },
      ])
      expect([whole?.length, partial?.length, above?.length]).toEqual([256 * 32, 3 * 32, 2 * 32])
    })

    test('behavior: a leaf of a key that is there already is left out where it should be', async () => {
      const { log } = home.store
      await log.add([leafOf(1, { once: true }), leafOf(1, { once: true })])
      await log.sequence(9)
      await log.add([leafOf(1, { once: true }), leafOf(1)])
      expect([await log.countWaiting(), await log.find('map 1')]).toEqual([1, null])
    })

    test('behavior: tells which keys have begun to sign, also before they have a place and in a log that ended', async () => {
      const { log } = home.store
      const begin = (key: string): NewLeaf => ({ ...leafOf(1), key: signingKeyKey(key), once: true })
      await log.add([leafOf(1, { key: decisionKey(endpoint(1)) }), leafOf(2, { key: 'keyed' })])
      expect(await log.published()).toEqual({ decisions: false, log: false })
      await log.add([begin('log.example+00000000+AAAA')])
      expect(await log.published()).toEqual({ decisions: false, log: true })
      await log.add([begin('-thumbprint_')])
      expect(await log.published()).toEqual({ decisions: true, log: true })
      await log.sequence(9)
      await log.putHead({ note: 'note', size: await log.size(), at: NOON })
      const first = { kind: 'key', at: '', use: 'log', key: 'b+00000000+AAAA', previous: 'note' }
      await log.begin({ ...writeLeaf(first, null), key: signingKeyKey(first.key) })
      expect(await log.find(signingKeyKey('-thumbprint_'))).toBeUndefined()
      expect(await log.published()).toEqual({ decisions: true, log: true })
    })

    test('behavior: a document names the leaf of its decision once that has its place', async () => {
      const { store } = home
      const document = aState({ endpoint: endpoint(1) })
      const { host } = document
      const about = { host, endpoint: endpoint(1) }
      const leaf = (number: number) => leafOf(number, { key: decisionKey(endpoint(1)), about })
      await store.putEndpoint(document)
      expect(await store.endpoint(endpoint(1))).not.toHaveProperty('logIndex')
      await store.putEndpoint(document, { facts: [], days: [], leaves: [leaf(1)] })
      expect(await store.endpoint(endpoint(1))).toMatchObject({ logIndex: null })
      const seen: unknown[] = []
      const stop = await store.watch((changed) => seen.push(changed))
      await store.log.sequence(1)
      expect(await store.endpoint(endpoint(1))).toMatchObject({ logIndex: 0 })
      await expect.poll(() => seen).toEqual([about])
      await stop()
      await store.append([], [leaf(2), leaf(3)])
      await store.log.sequence(1)
      // The newest one waits still.
      expect(await store.endpoint(endpoint(1))).toMatchObject({ logIndex: null })
      await store.log.sequence(1)
      expect(await store.endpoint(endpoint(1))).toMatchObject({ logIndex: 2 })
    })

    test('behavior: an opening can be deleted, and the tree stays', async () => {
      const { log } = home.store
      const { leaf, opening } = writeLeaf({ kind: 'a', at: 'b' }, { salt: 'c', host: 'd' })
      await log.add([{ leaf, opening, key: 'a' }])
      await log.sequence(1)
      expect(await log.entries(0, 1)).toEqual([{ leaf, opening }])
      const root = await readRoot(log)
      expect([await log.forget(0), await log.forget(0), await log.forget(1)]).toEqual([true, false, false])
      expect(await log.entries(0, 1)).toEqual([{ leaf, opening: null }])
      expect(await readRoot(log)).toEqual(root)
    })

    test('behavior: another log begins with its first leaf, then with what no checkpoint covered', async () => {
      const { log } = home.store
      await log.add([leafOf(1), leafOf(2), leafOf(3)])
      await log.sequence(9)
      await log.putHead({ note: 'two leaves', size: 2, at: NOON })
      await log.add([leafOf(4)])
      await log.begin(leafOf(7))
      expect([await log.size(), await log.countWaiting(), await log.head()]).toEqual([1, 2, null])
      expect([await log.find('map 1'), await log.find('map 3'), await log.find('map 7')]).toEqual([
        undefined,
        null,
        0,
      ])
      await log.sequence(9)
      const leaves = [leafOf(7), leafOf(3), leafOf(4)].map(({ leaf }) => leaf)
      expect((await log.entries(0, 9)).map(({ leaf }) => leaf)).toEqual(leaves)
      expect(await readRoot(log)).toEqual(plainRoot(leaves))
    })

    test('behavior: everything is there after reopening', async () => {
      await home.store.log.add([leafOf(1), leafOf(2), leafOf(3)])
      await home.store.log.sequence(2)
      const head = { note: 'log.example\n', size: 2, at: NOON }
      await home.store.log.putHead(head)
      const { log } = await home.reopen()
      expect([await log.size(), await log.countWaiting(), await log.head()]).toEqual([2, 1, head])
      await log.sequence(9)
      expect(await readRoot(log)).toEqual(plainRoot([1, 2, 3].map((number) => leafOf(number).leaf)))
    })
  })
}
