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
import { readState } from '../endpoints.ts'
import {
  countWaiting,
  findLeaf,
  readBegunKeys,
  readHead,
  readLeaves,
  readLogSize,
  readTiles,
} from '../log.ts'
import type { Store } from '../store.ts'
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

async function readRoot(log: Store): Promise<Uint8Array> {
  const size = await readLogSize(log)
  const read = readFromTiles(size, async (wanted) => {
    const places = wanted.map(({ level, index }) => ({ level: Number(level), index }))
    return (await readTiles(log, places)).map((tile) => tile ?? new Uint8Array())
  })
  return rootOf(size, read)
}

/** Tests the log of a store. */
export function describeLog(name: string, createHome: () => Promise<Home>): void {
  describe(`${name}: the log`, () => {
    const home = useStore(createHome)

    test('default: an empty log', async () => {
      const store = home.store
      expect([
        await readLogSize(store),
        await countWaiting(store),
        await store.write('sequenceLeaves', 9),
        await readHead(store),
      ]).toEqual([0, 0, 0, null])
      expect(await findLeaf(store, 'map 1')).toBeUndefined()
      expect(await readTiles(store, [{ level: 0, index: 0 }])).toEqual([undefined])
    })

    test('behavior: leaves wait, and get their places in order', async () => {
      const store = home.store
      const leaves = Array.from({ length: 5 }, (_, number) => leafOf(number))
      await store.write('addLeaves', leaves.slice(0, 3))
      await store.write('addLeaves', leaves.slice(3))
      expect([await readLogSize(store), await countWaiting(store), await findLeaf(store, 'map 4')]).toEqual([
        0,
        5,
        null,
      ])
      expect([
        await store.write('sequenceLeaves', 4),
        await store.write('sequenceLeaves', 4),
        await store.write('sequenceLeaves', 4),
      ]).toEqual([4, 1, 0])
      expect([await readLogSize(store), await countWaiting(store), await findLeaf(store, 'map 4')]).toEqual([
        5, 0, 4,
      ])
      const texts = leaves.map(({ leaf, opening }) => ({ leaf, opening }))
      expect(await readLeaves(store, 1, 9)).toEqual(texts.slice(1))
      expect(await readRoot(store)).toEqual(plainRoot(leaves.map(({ leaf }) => leaf)))
    })

    test('behavior: tiles grow over several levels, whatever the batches', async () => {
      const store = home.store
      const leaves = Array.from({ length: 2 * TILE_WIDTH + 3 }, (_, number) => leafOf(number))
      for (const batch of [1, 254, 1, 2, 257]) {
        await store.write(
          'addLeaves',
          leaves.slice(await readLogSize(store), (await readLogSize(store)) + batch),
        )
        expect(await store.write('sequenceLeaves', 999)).toBe(batch)
        const size = await readLogSize(store)
        expect(await readRoot(store)).toEqual(plainRoot(leaves.slice(0, size).map(({ leaf }) => leaf)))
      }
      const [whole, partial, above] = await readTiles(store, [
        { level: 0, index: 1 },
        { level: 0, index: 2 },
        { level: 1, index: 0 },
      ])
      expect([whole?.length, partial?.length, above?.length]).toEqual([256 * 32, 3 * 32, 2 * 32])
    })

    test('behavior: a leaf of a key that is there already is left out where it should be', async () => {
      const store = home.store
      await store.write('addLeaves', [leafOf(1, { once: true }), leafOf(1, { once: true })])
      await store.write('sequenceLeaves', 9)
      await store.write('addLeaves', [leafOf(1, { once: true }), leafOf(1)])
      expect([await countWaiting(store), await findLeaf(store, 'map 1')]).toEqual([1, null])
    })

    test('behavior: tells which keys have begun to sign, also before they have a place and in a log that ended', async () => {
      const store = home.store
      const begin = (key: string): NewLeaf => ({ ...leafOf(1), key: signingKeyKey(key), once: true })
      await store.write('addLeaves', [
        leafOf(1, { key: decisionKey(endpoint(1)) }),
        leafOf(2, { key: 'keyed' }),
      ])
      expect(await readBegunKeys(store)).toEqual({ decisions: false, log: false })
      await store.write('addLeaves', [begin('log.example+00000000+AAAA')])
      expect(await readBegunKeys(store)).toEqual({ decisions: false, log: true })
      await store.write('addLeaves', [begin('-thumbprint_')])
      expect(await readBegunKeys(store)).toEqual({ decisions: true, log: true })
      await store.write('sequenceLeaves', 9)
      await store.write('putHead', { note: 'note', size: await readLogSize(store), at: NOON })
      const first = { kind: 'key', at: '', use: 'log', key: 'b+00000000+AAAA', previous: 'note' }
      await store.write('beginLog', { ...writeLeaf(first, null), key: signingKeyKey(first.key) })
      expect(await findLeaf(store, signingKeyKey('-thumbprint_'))).toBeUndefined()
      expect(await readBegunKeys(store)).toEqual({ decisions: true, log: true })
    })

    test('behavior: a document names the leaf of its decision once that has its place', async () => {
      const { store } = home
      const document = aState({ endpoint: endpoint(1) })
      const { host } = document
      const about = { host, endpoint: endpoint(1) }
      const leaf = (number: number) => leafOf(number, { key: decisionKey(endpoint(1)), about })
      await store.write('putEndpoint', document)
      expect(await readState(store, endpoint(1))).not.toHaveProperty('logIndex')
      await store.write('putEndpoint', document, { facts: [], days: [], leaves: [leaf(1)] })
      expect(await readState(store, endpoint(1))).toMatchObject({ logIndex: null })
      const seen: unknown[] = []
      const stop = await store.watch((changed) => seen.push(changed))
      await store.write('sequenceLeaves', 1)
      expect(await readState(store, endpoint(1))).toMatchObject({ logIndex: 0 })
      await expect.poll(() => seen).toEqual([{ ...about, hasNews: false }])
      await stop()
      await store.write('append', [], [leaf(2), leaf(3)])
      await store.write('sequenceLeaves', 1)
      // The newest one waits still.
      expect(await readState(store, endpoint(1))).toMatchObject({ logIndex: null })
      await store.write('sequenceLeaves', 1)
      expect(await readState(store, endpoint(1))).toMatchObject({ logIndex: 2 })
    })

    test('behavior: an opening can be deleted, and the tree stays', async () => {
      const store = home.store
      const { leaf, opening } = writeLeaf({ kind: 'a', at: 'b' }, { salt: 'c', host: 'd' })
      await store.write('addLeaves', [{ leaf, opening, key: 'a' }])
      await store.write('sequenceLeaves', 1)
      expect(await readLeaves(store, 0, 1)).toEqual([{ leaf, opening }])
      const root = await readRoot(store)
      expect([
        await store.write('forgetOpening', 0),
        await store.write('forgetOpening', 0),
        await store.write('forgetOpening', 1),
      ]).toEqual([true, false, false])
      expect(await readLeaves(store, 0, 1)).toEqual([{ leaf, opening: null }])
      expect(await readRoot(store)).toEqual(root)
    })

    test('behavior: another log begins with its first leaf, then with what no checkpoint covered', async () => {
      const store = home.store
      await store.write('addLeaves', [leafOf(1), leafOf(2), leafOf(3)])
      await store.write('sequenceLeaves', 9)
      await store.write('putHead', { note: 'two leaves', size: 2, at: NOON })
      await store.write('addLeaves', [leafOf(4)])
      await store.write('beginLog', leafOf(7))
      expect([await readLogSize(store), await countWaiting(store), await readHead(store)]).toEqual([
        1,
        2,
        null,
      ])
      expect([
        await findLeaf(store, 'map 1'),
        await findLeaf(store, 'map 3'),
        await findLeaf(store, 'map 7'),
      ]).toEqual([undefined, null, 0])
      await store.write('sequenceLeaves', 9)
      const leaves = [leafOf(7), leafOf(3), leafOf(4)].map(({ leaf }) => leaf)
      expect((await readLeaves(store, 0, 9)).map(({ leaf }) => leaf)).toEqual(leaves)
      expect(await readRoot(store)).toEqual(plainRoot(leaves))
    })

    test('behavior: everything is there after reopening', async () => {
      await home.store.write('addLeaves', [leafOf(1), leafOf(2), leafOf(3)])
      await home.store.write('sequenceLeaves', 2)
      const head = { note: 'log.example\n', size: 2, at: NOON }
      await home.store.write('putHead', head)
      const store = await home.reopen()
      expect([await readLogSize(store), await countWaiting(store), await readHead(store)]).toEqual([
        2,
        1,
        head,
      ])
      await store.write('sequenceLeaves', 9)
      expect(await readRoot(store)).toEqual(plainRoot([1, 2, 3].map((number) => leafOf(number).leaf)))
    })
  })
}
