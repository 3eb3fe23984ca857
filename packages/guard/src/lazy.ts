/** Returns a function that starts work when it is first called, and returns the same promise from then on. */
export function lazy<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => {
    started ??= work()
    return started
  }
}
