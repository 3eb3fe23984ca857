/** Runs work one after the other for equal keys, side by side for different ones. */
export type KeyedQueue = { run<T>(key: string, work: () => T | Promise<T>): Promise<T> }

/** Makes an empty queue; it holds nothing for keys without work under way. */
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
