import { createLowdbStore } from '../../adapters/store/lowdb/createLowdbStore.ts'
import { createPostgresStore } from '../../adapters/store/postgres/createPostgresStore.ts'
import { type Recomputed, recomputeHost } from '../../audit/recompute.ts'
import { readStorageConfig, type StorageConfig } from '../../config/storageSettings.ts'
import { breakDownScore, scoreInputOf } from '../../domain/judge/scoreParts.ts'
import type { Store } from '../../ports/store.ts'
import { readHost } from '../../site/hostName.ts'

/**
 * Judges a host once more by what is stored, and says whether the same comes out.
 * @returns the exit code: 0 where all is equal, 1 where something is not, 2 where nothing is stored of the host
 */
export async function runRecompute(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const [name, ...others] = words
  const host = name === undefined ? undefined : readHost(name)
  if (host === undefined || others.length > 0)
    throw new Error('recompute takes one host, such as api.example.com')
  const store = await openStore(readStorageConfig(environment))
  try {
    const results = await recomputeHost(store, host)
    if (results === undefined) {
      process.stderr.write(`touchstone-server: nothing is stored of ${host}\n`)
      return 2
    }
    for (const result of results) process.stdout.write(`${describe(result)}\n`)
    const equal = results.filter(({ isEqual }) => isEqual).length
    process.stdout.write(`${host}: ${equal} of ${results.length} equal\n`)
    return equal === results.length ? 0 : 1
  } finally {
    await store.close()
  }
}

function openStore({ databaseUrl, dataDir }: StorageConfig): Promise<Store> {
  const warn = (report: unknown) =>
    process.stderr.write(
      `touchstone-server: ${typeof report === 'string' ? report : JSON.stringify(report)}\n`,
    )
  if (databaseUrl === null) return createLowdbStore({ directory: dataDir, onReport: warn })
  return createPostgresStore({ url: databaseUrl, onError: (error) => warn(String(error)) })
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
