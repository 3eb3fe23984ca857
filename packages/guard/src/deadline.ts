/**
 * Runs work and waits at most `ms` milliseconds for it.
 * @throws Error after the deadline; the work goes on unheard
 */
export async function withDeadline<T>(work: () => Promise<T> | T, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms / 1000} seconds.`)), ms)
  })
  try {
    return await Promise.race([work(), timeout])
  } finally {
    clearTimeout(timer)
  }
}
