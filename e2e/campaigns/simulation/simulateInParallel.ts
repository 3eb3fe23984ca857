import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { LongRun } from './measureLong.ts'
import type { Simulated } from './simulate.ts'

/** Number of groups that the hosts are split into. Each group is simulated separately, in its own process. */
export const PARTS = 2

/** Work of one process: a group of hosts, or the simulation that takes more days. */
export type Task = { readonly part: number | 'long' } & SimulationOptions

type SimulationOptions = { readonly short: boolean; readonly days: number; readonly seed: number }

/** Simulates all hosts, in processes, since each simulation is sequential. @throws Error if one fails, which prints why */
export async function simulateInParallel(
  options: SimulationOptions,
): Promise<{ simulated: Simulated; long: LongRun }> {
  const ending = new AbortController()
  const start = <T>(part: Task['part']) => runProcess<T>({ ...options, part }, ending.signal)
  try {
    const parts = Array.from({ length: PARTS }, (_, part) => start<Simulated>(part))
    const [long, ...simulated] = await Promise.all([start<LongRun>('long'), ...parts])
    return { long, simulated: merge(simulated) }
  } finally {
    // If one failed, the others would go on for minutes.
    ending.abort()
  }
}

async function runProcess<T>(task: Task, signal: AbortSignal): Promise<T> {
  // Maps and bigints are sent as they are.
  const child = fork(new URL('simulationProcess.ts', import.meta.url), [JSON.stringify(task)], {
    serialization: 'advanced',
    signal,
  })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the simulation of part ${task.part} ended with code ${code}`)
  })
  const [answer] = await Promise.race([once(child, 'message'), failed])
  return answer as T
}

function merge(parts: readonly Simulated[]): Simulated {
  const mergeBy = <V>(pick: (part: Simulated) => ReadonlyMap<string, V>) =>
    new Map(parts.flatMap((part) => [...pick(part)]))
  return {
    samples: mergeBy(({ samples }) => samples),
    shownOnDay: mergeBy(({ shownOnDay }) => shownOnDay),
    theft: mergeBy(({ theft }) => theft),
    hostVerdict: mergeBy(({ hostVerdict }) => hostVerdict),
    service: parts.flatMap(({ service }) => service),
  }
}
