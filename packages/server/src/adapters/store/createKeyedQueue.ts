/** Runs tasks of equal keys one after the other, and tasks of different keys concurrently. */
export type KeyedQueue = { run<T>(key: string, work: () => T | Promise<T>): Promise<T> }

/** Creates an empty queue; it holds nothing for keys without pending tasks. */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>()
  return {
    run(key, work) {
      const before = tails.get(key)
      const result = before ? before.then(work, work) : Promise.resolve().then(work)
      tails.set(key, result)
      const forget = () => {
        if (tails.get(key) === result) tails.delete(key)
      }
      result.then(forget, forget)
      return result
    },
  }
}
