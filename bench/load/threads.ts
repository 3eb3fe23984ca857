import { readdirSync, readFileSync } from 'node:fs'

/** Processor time of a process by thread, in ms. */
export type ThreadTimes = ReadonlyMap<number, number>

/**
 * Reads the processor time of each thread of a process. The main thread has the number of the process.
 * Source: proc(5), `/proc/[pid]/task/[tid]/schedstat`, whose first number is in ns.
 */
export function readThreads(process: number): ThreadTimes {
  const times = new Map<number, number>()
  for (const name of readdirSync(`/proc/${process}/task`)) {
    try {
      const [nanoseconds] = readFileSync(`/proc/${process}/task/${name}/schedstat`, 'utf8').split(' ')
      times.set(Number(name), Number(nanoseconds) / 1e6)
    } catch {
      // It has ended meanwhile.
    }
  }
  return times
}

/** Returns the share of a core that each thread took, the main thread's first and those of the others in descending order. */
export function sharesOf(process: number, before: ThreadTimes, after: ThreadTimes, ms: number) {
  const share = (thread: number) => ((after.get(thread) ?? 0) - (before.get(thread) ?? 0)) / ms
  const others = [...after.keys()].filter((thread) => thread !== process).map(share)
  return { main: share(process), others: others.sort((a, b) => b - a) }
}
