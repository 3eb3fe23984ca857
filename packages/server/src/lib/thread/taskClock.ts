import { readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/**
 * Returns the number of the calling thread in the operating system; null where Linux's /proc is not there.
 * Source: proc(5), `/proc/thread-self`.
 */
export function readTask(): number | null {
  try {
    const [, task] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? []
    return task === undefined ? null : Number(task)
  } catch {
    return null
  }
}

/**
 * Returns the processor time that a thread of this process has taken, in ms, even while it is busy; null where Linux's
 * /proc does not tell, or the thread has ended. Source: `/proc/[pid]/task/[tid]/schedstat`, whose first number is in ns.
 */
export async function readTaskMs(task: number): Promise<number | null> {
  const text = await readFile(`/proc/self/task/${task}/schedstat`, 'utf8').catch(() => '')
  const [, nanoseconds] = /^(\d+) \d+ \d+/.exec(text) ?? []
  return nanoseconds === undefined ? null : Number(nanoseconds) / 1e6
}
