import { beforeEach } from 'vitest'
import type { Store } from '../store.ts'

/** A place of a store, which can be opened, closed and opened again. */
export type Home = {
  open(): Promise<Store>
  remove(): Promise<void>
}

/** A store that each test finds empty and open. */
export type StoreUnderTest = {
  readonly store: Store
  /** Closes the store and opens it again. */
  reopen(): Promise<Store>
}

/** Opens an empty store before each test and removes it afterwards. */
export function useStore(createHome: () => Promise<Home>): StoreUnderTest {
  let home: Home | undefined
  let store: Store | undefined
  const open = async () => {
    store = await home?.open()
    if (store === undefined) throw new Error('No test is running')
    return store
  }
  beforeEach(async () => {
    home = await createHome()
    await open()
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
    async reopen() {
      await store?.close()
      return open()
    },
  }
}

/** Collects what an async iterable yields. */
export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
