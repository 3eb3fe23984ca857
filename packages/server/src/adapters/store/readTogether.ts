import { setImmediate as nextTurn } from 'node:timers/promises'

type Batch<V> = { readonly keys: Set<string>; readonly found: Promise<ReadonlyMap<string, V>> }

/**
 * Creates a read by key from one of many keys: what is asked for in one turn of the event loop is read at once, since a
 * statement costs more than a row. A read that rejects does so for all of them.
 */
export function readTogether<V>(
  readMany: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  let open: Batch<V> | undefined
  const start = (): Batch<V> => {
    const keys = new Set<string>()
    const readAll = async () => {
      await nextTurn()
      open = undefined
      return readMany([...keys])
    }
    return { keys, found: readAll() }
  }
  return async (key) => {
    open ??= start()
    open.keys.add(key)
    return (await open.found).get(key)
  }
}
