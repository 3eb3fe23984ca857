import { type Profiler, Session } from 'node:inspector/promises'

/** A function and its self time in ms. */
export type HotFunction = { readonly name: string; readonly selfMs: number }

/** Interval between two samples in µs. */
const SAMPLE_US = 1000
const SHOWN = 10
/** Entries of the profile that are no functions. */
const NO_FUNCTIONS = new Set(['(idle)', '(program)', '(root)'])

/** Starts a CPU profile of the calling thread. @returns a function that ends it and lists the functions that took most */
export async function startCpuProfile(): Promise<() => Promise<HotFunction[]>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  await session.post('Profiler.start')
  return async () => {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    return listHot(profile)
  }
}

function listHot({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): HotFunction[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const selfUs = new Map<string, number>()
  for (const [place, node] of samples.entries()) {
    const name = names.get(node) ?? ''
    if (!NO_FUNCTIONS.has(name)) selfUs.set(name, (selfUs.get(name) ?? 0) + (timeDeltas[place] ?? 0))
  }
  return [...selfUs]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name, us]) => ({ name, selfMs: Math.round(us / 1000) }))
}

function nameOf({ functionName, url, lineNumber }: Profiler.Profile['nodes'][number]['callFrame']): string {
  const file = url.split('/').at(-1) ?? ''
  return file === '' ? functionName : `${functionName || 'anonymous'} ${file}:${lineNumber + 1}`
}
