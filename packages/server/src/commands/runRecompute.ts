import { type Recomputed, recomputeHost } from '../audit/recompute.ts'
import type { Environment } from '../config/storageSettings.ts'
import { breakDownScore, scoreInputOf } from '../judge/scoreParts.ts'
import type { Output } from '../lib/output.ts'
import { readHost } from '../site/hostName.ts'
import { withStore } from './withStore.ts'

/**
 * Recomputes the verdicts of a host from stored facts and compares them with the stored ones.
 * @returns the exit code: 0 if all are equal, 1 if some differ, 2 if nothing is stored of the host
 */
export async function runRecompute(
  name: string,
  environment: Environment,
  { out, err }: Output,
): Promise<number> {
  const host = readHost(name)
  if (host === undefined)
    throw new Error(`HOST must be one host, such as api.example.com; got ${JSON.stringify(name)}`)
  return withStore(environment, async (store) => {
    const results = await recomputeHost(store, host)
    if (results === undefined) {
      err(`touchstone-server: nothing is stored of ${host}\n`)
      return 2
    }
    for (const result of results) out(`${describe(result)}\n`)
    const equal = results.filter(({ isEqual }) => isEqual).length
    out(`${host}: ${equal} of ${results.length} equal\n`)
    return equal === results.length ? 0 : 1
  })
}

function describe({ endpoint, isEqual, differences, state }: Recomputed): string {
  const verdict = `${state.verdict}${state.score === null ? '' : ` ${state.score}`}, by score ${state.scoreVersion}`
  const parts = (state.score === null ? null : breakDownScore(scoreInputOf(state))) ?? []
  const sum = parts.map(
    ({ points, name, evidence }) => `  ${String(points).padStart(3)}  ${name}: ${evidence}`,
  )
  if (isEqual) return [`equal: ${endpoint}: ${verdict}`, ...sum].join('\n')
  const lines = differences.map(
    ({ field, stored, recomputed }) =>
      `  ${field}: stored ${JSON.stringify(stored)}, recomputed ${JSON.stringify(recomputed)}`,
  )
  return [`not equal: ${endpoint}: ${verdict}`, ...lines, ...sum].join('\n')
}
