// Runs the guard in simulated worlds: one seed is one world, and a failure prints its seed, its steps and its trace.
import { createHash } from 'node:crypto'
import type { RunOptions } from '../../readOptions.ts'
import { findMutation } from './findMutation.ts'
import { MUTATIONS } from './mutations.ts'
import { runWorld, type WorldResult } from './runWorld.ts'

/** `worlds` is how many, `seed` the first of them, and `--seed N` alone runs that one and prints its trace. */
export const numbers = ['seed', 'worlds']

const WORLDS = { short: 1000, whole: 20_000 }
/** Every so many worlds one is run twice, and its traces compared. */
const TWICE_EVERY = 50
/** Worlds that are tried for a mutation if the known one does not find it any more. */
const MOST_TRIED = { short: 200, whole: 5000 }
/** Most failures that are shown. */
const MOST_FAILURES = 5

const print = (line: string) => void process.stderr.write(`${line}\n`)

export async function run({ short, numbers: given }: RunOptions) {
  const one = given.get('seed')
  const worlds = given.get('worlds') ?? (one === undefined ? WORLDS[short ? 'short' : 'whole'] : 1)
  const first = one ?? 1
  const startedAt = performance.now()
  const traces = createHash('sha256')
  const failures: object[] = []
  let steps = 0
  let unequal = 0
  for (let seed = first; seed < first + worlds && failures.length < MOST_FAILURES; seed++) {
    const result = await runWorld({ seed })
    steps += result.steps
    traces.update(result.hash)
    if (worlds === 1 || result.failure !== null) show(seed, result)
    if (result.failure !== null) failures.push({ seed, why: String(result.failure.error) })
    else if (worlds === 1 || seed % TWICE_EVERY === 0) {
      if ((await runWorld({ seed })).hash !== result.hash) unequal += 1
    }
  }
  const isWhole = one === undefined && !given.has('worlds')
  const mutations = isWhole ? await findMutations(short) : []
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const figures = {
    worlds,
    steps,
    seconds,
    violations: failures.length,
    unequal,
    trace: traces.digest('hex'),
    failures,
    mutations,
  }
  const isSharp = mutations.every(({ seed }) => seed !== null)
  return { ok: failures.length === 0 && unequal === 0 && isSharp, figures }
}

/** Looks for each mutation of the guard. One that no world finds has a seed of null. */
async function findMutations(short: boolean) {
  const found = []
  for (const mutation of MUTATIONS) {
    const { name } = mutation
    const world = await findMutation(mutation, MOST_TRIED[short ? 'short' : 'whole'])
    found.push(world ?? { name, seed: null, invariant: null })
    print(
      `without its rule, "${name}": ${world === null ? 'not found' : `seed ${world.seed} breaks ${world.invariant}`}`,
    )
  }
  return found
}

function show(seed: number, { trace, failure }: WorldResult): void {
  for (const line of trace) print(line)
  if (failure === null) return
  const { error, commands } = failure
  print(`seed ${seed}: ${error instanceof Error ? error.stack : error}`)
  print(`steps: ${commands}`)
}
