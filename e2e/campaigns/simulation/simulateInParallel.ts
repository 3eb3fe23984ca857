import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { LongRun } from './measureLong.ts'
import type { Simulated } from './simulate.ts'

/** Parts of the hosts, each of which a process simulates as a world of its own. */
export const PARTS = 2

/** What a process simulates: a part of the hosts, or the few that take longer. */
export type Task = { readonly part: number | 'long' } & SimulationOptions

type SimulationOptions = { readonly short: boolean; readonly days: number; readonly seed: number }

/** Simulates all hosts, in processes, since each simulation is sequential. @throws Error if one fails, which prints why */
export async function simulateInParallel(
  options: SimulationOptions,
): Promise<{ simulated: Simulated; long: LongRun }> {
  const parts = Array.from({ length: PARTS }, (_, part) => runProcess<Simulated>({ ...options, part }))
  const [long, ...simulated] = await Promise.all([
    runProcess<LongRun>({ ...options, part: 'long' }),
    ...parts,
  ])
  return { long, simulated: merge(simulated) }
}

async function runProcess<T>(task: Task): Promise<T> {
  // Maps and bigints are sent as they are.
  const child = fork(new URL('simulationProcess.ts', import.meta.url), [JSON.stringify(task)], {
    serialization: 'advanced',
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
