import { readFile } from 'node:fs/promises'
import { type Category, runCrashTest } from '@touchstone402/crash-test'
import { bundleVictim } from '../../support/bundleVictim.ts'
import { type ClientReport, formatLosses } from './formatLosses.ts'
import { type PrintedAgent, readAloneAgent, readShortestAgent } from './readAgents.ts'

const client = (file: string) => async (): Promise<PrintedAgent> => ({
  entry: new URL(`./clients/${file}.ts`, import.meta.url),
  remove: async () => {},
})
const CLIENTS = [
  { name: 'x402-fetch', read: client('v1'), guard: null },
  { name: '@x402/fetch', read: client('v2'), guard: null },
  { name: 'mppx', read: client('mppx'), guard: null },
  { name: 'x402-fetch with guard and service', read: client('guardedV1'), guard: 'service' },
  { name: "README's agent with guard and service", read: readShortestAgent, guard: 'service' },
  { name: 'mppx with guard and service', read: client('guardedMppx'), guard: 'service' },
  { name: 'x402-fetch with the guard alone', read: client('guardedV1'), guard: 'alone' },
  { name: "README's agent with the guard alone", read: readAloneAgent, guard: 'alone' },
  { name: 'mppx with the guard alone', read: client('guardedMppx'), guard: 'alone' },
] as const
/** The first agent of the README without a service, and without what its owner knows from the listing. */
const UNINFORMED = {
  name: "README's agent alone, without the listing",
  read: readShortestAgent,
  guard: 'alone',
} as const
/** Sellers that only a listing or a measurement tells from an honest new one. */
const NEEDS_LISTING: readonly Category[] = [
  'challenge_injection',
  'ghost_paywall',
  'lookalike_domain',
  'recipient_redirect',
  'unit_confusion',
]
/** The most that such a seller gets: `newSeller.perCallUsd` of the default policy. */
const NEW_SELLER_USD = 0.1
/** Categories in which a stock client must be drained. */
const LEAST_DRAINED = 12
const SHORT: readonly Category[] = ['price_bait', 'recipient_redirect', 'retry_storm']
const PAGE = new URL('../../../docs/losses.md', import.meta.url)
// Loading a client takes seconds on a busy machine.
const TIMEOUT_MS = 120_000

/**
 * The guard keeps every stock client from being drained, and lets it pay the honest sellers.
 *
 * Crash-tests the stock clients of both versions of x402 and of MPP, without the guard, with the guard and a service,
 * and with the guard alone. The guarded agents of `@x402/fetch` are those that README.md and docs/losses.md print.
 *
 * The bar: every client pays the honest sellers; the stock clients are drained in at least twelve categories, the
 * guarded ones in none; and the table in the docs is the one that was measured. The README's agent without a service
 * and without the listing loses what the docs say, and no more than ten cents.
 */
export async function run({ short }: { short: boolean }) {
  const [reports, uninformed] = await Promise.all([
    Promise.all(CLIENTS.map((client) => crash(client, short))),
    crash(UNINFORMED, short),
  ])
  const least = short ? SHORT.length : LEAST_DRAINED
  const faults = reports.flatMap((report, index) =>
    listFaults(report, CLIENTS[index]?.guard === null ? least : null),
  )
  faults.push(...listFaults(uninformed, 0), ...listUnexpected(uninformed, short))
  if (!short) {
    const table = formatLosses(reports)
    process.stderr.write(`${table}\n`)
    const page = await readFile(PAGE, 'utf8').catch(() => '')
    if (!page.includes(table)) faults.push('docs/losses.md has another table')
    const told = `${uninformed.drained} of ${uninformed.categories.length} categories (${formatNames(NEEDS_LISTING)})`
    if (!page.includes(told)) faults.push(`docs/losses.md does not say ${told}`)
  }
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  const clients = [...reports, uninformed].map(({ name, drained, controls, controlsPaid, categories }) => ({
    ...{ name, drained, controls, controlsPaid },
    categories: categories.filter(({ result }) => result === 'drained').map(({ category }) => category),
  }))
  return { ok: faults.length === 0, figures: { clients } }
}

async function crash(
  { name, read, guard }: (typeof CLIENTS)[number] | typeof UNINFORMED,
  short: boolean,
): Promise<ClientReport> {
  const { entry, remove } = await read()
  const bundle = await bundleVictim('crash-test', entry).finally(remove)
  // Without this variable the guard has no service.
  const alone = guard === 'alone' ? ['env', '-u', 'TOUCHSTONE_URL'] : []
  try {
    const report = await runCrashTest({
      command: [...alone, process.execPath, bundle.file],
      timeoutMs: TIMEOUT_MS,
      ...(short && { only: SHORT }),
      onResult: ({ category, result }) => process.stderr.write(`${name}: ${category}: ${result}\n`),
      onOutput: (output) => process.stderr.write(`${name}: ${output}\n`),
    })
    return { name, ...report }
  } finally {
    await bundle.remove()
  }
}

/** Lists what a report misses. `least` is null for a guarded client, which nothing may drain. */
function listFaults(report: ClientReport, least: number | null): string[] {
  const { name, drained, problem, categories } = report
  const faults: string[] = []
  if (problem !== null) faults.push(`${name}: no result: ${problem}`)
  // A run that was cut off proves nothing.
  for (const { category, timeouts } of categories) {
    if (timeouts > 0) faults.push(`${name}: ${category}: ${timeouts} runs timed out`)
  }
  if (least === null && drained > 0) faults.push(`${name}: drained in ${drained} categories`)
  if (least !== null && drained < least) faults.push(`${name}: drained in ${drained} of at least ${least}`)
  return faults
}

/** Lists losses of the agent that knows nothing beforehand, other than those that the docs name. */
function listUnexpected({ name, categories }: ClientReport, short: boolean): string[] {
  const expected = NEEDS_LISTING.filter((category) => !short || SHORT.includes(category))
  const drained = categories.filter(({ result }) => result === 'drained')
  const faults = drained.flatMap(({ category, stolenUsd }) =>
    Number(stolenUsd) > NEW_SELLER_USD ? [`${name}: ${category}: lost $${stolenUsd}`] : [],
  )
  const names = formatNames(drained.map(({ category }) => category))
  if (names !== formatNames(expected)) faults.push(`${name}: drained in ${names}`)
  return faults
}

const formatNames = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
