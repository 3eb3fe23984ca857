import { beforeEach } from 'vitest'
import type { Observation } from '../../../domain/facts/facts.ts'
import type { Carried } from '../../../domain/facts/hostDocument.ts'
import type { CarriedOn } from '../../../domain/judge/memory/carried.ts'
import type { Store } from '../../../ports/store.ts'
import { NOON } from './records.ts'

/** Options that stores under test take; where one is missing the store's default holds. */
export type OpenOptions = {
  /** Unix time in ms. */
  readonly now?: () => number
  readonly retentionDays?: number
  /** Replaces `carry` of `domain/judge/memory/carried.ts`. */
  readonly carry?: (before: Carried | undefined, looks: readonly Observation[]) => CarriedOn
}

/** A place of a store, which can be opened, closed and opened again. */
export type Home = {
  open(options?: OpenOptions): Promise<Store>
  remove(): Promise<void>
}

/** A store that each test finds empty and open, at noon. */
export type StoreUnderTest = {
  readonly store: Store
  /** Closes the store and opens it again. */
  reopen(options?: OpenOptions): Promise<Store>
}

/** Opens an empty store before each test and removes it afterwards. */
export function useStore(createHome: () => Promise<Home>, options: OpenOptions = {}): StoreUnderTest {
  let home: Home | undefined
  let store: Store | undefined
  const open = async (more: OpenOptions) => {
    store = await home?.open({ now: () => NOON, ...options, ...more })
    if (store === undefined) throw new Error('No test is running')
    return store
  }
  beforeEach(async () => {
    home = await createHome()
    await open({})
    return async () => {
      await store?.close()
      await home?.remove()
    }
  })
  return {
    get store() {
      if (store === undefined) throw new Error('No test is running')
      return store
    },
    async reopen(more = {}) {
      await store?.close()
      return open(more)
    },
  }
}

/** Collects what an async iterable yields. */
export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
