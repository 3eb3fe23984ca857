import type { Clock } from './clock.ts'

/**
 * Repeats work until the signal fires, with a pause in between. Simulated time stands still while the work runs.
 * @param pauseAfter returns the pause in milliseconds
 */
export async function repeat<T>(
  clock: Clock,
  work: () => Promise<T>,
  pauseAfter: (result: T) => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const release = clock.hold()
    const result = await work().finally(release)
    try {
      await clock.sleep(pauseAfter(result), signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
