import { readTaskMs } from './taskClock.ts'

/** Names of the threads of this process, by their number in the operating system. The main thread has that of the process. */
const names = new Map([[process.pid, 'main']])

/**
 * Counts a thread in {@link readThreadSeconds}.
 * @param task its number in the operating system; null if it is not known
 * @returns a function that ends it
 */
export function countThread(name: string, task: number | null): () => void {
  if (task === null) return () => {}
  names.set(task, name)
  return () => void names.delete(task)
}

/** Reads the processor time of each running thread in seconds, by name; of equal names together. Empty without Linux's /proc. */
export async function readThreadSeconds(): Promise<Record<string, number>> {
  const seconds: Record<string, number> = {}
  for (const [task, name] of names) {
    const ms = await readTaskMs(task)
    if (ms !== null) seconds[name] = (seconds[name] ?? 0) + ms / 1000
  }
  return seconds
}
