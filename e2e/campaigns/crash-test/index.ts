import { readFile } from 'node:fs/promises'
import { type Category, runCrashTest } from '@touchstone402/crash-test'
import { bundleVictim, COMMONJS_BANNER } from '../../support/bundleVictim.ts'
import { type ClientReport, formatLosses } from './formatLosses.ts'

const CLIENTS = [
  { name: 'x402-fetch', file: 'v1', isGuarded: false },
  { name: '@x402/fetch', file: 'v2', isGuarded: false },
  { name: 'mppx', file: 'mppx', isGuarded: false },
  { name: 'x402-fetch with the guard', file: 'guardedV1', isGuarded: true },
  { name: '@x402/fetch with the guard', file: 'guarded', isGuarded: true },
  { name: 'mppx with the guard', file: 'guardedMppx', isGuarded: true },
] as const
/** Categories in which a stock client must be drained. */
const LEAST_DRAINED = 12
const SHORT: readonly Category[] = ['price_bait', 'recipient_redirect', 'retry_storm']
const PAGE = new URL('../../../docs/losses.md', import.meta.url)
// Loading a client takes seconds on a busy machine.
const TIMEOUT_MS = 120_000

/**
 * The guard keeps every stock client from being drained, and lets it pay the honest sellers.
 *
 * Crash-tests the stock clients of both versions of x402, without and with the guard.
 *
 * The bar: every client pays the honest sellers; the stock clients are drained in at least twelve categories, the
 * guarded ones in none; and the table in the docs is the one that was measured.
 */
export async function run({ short }: { short: boolean }) {
  const reports = await Promise.all(CLIENTS.map((client) => crash(client, short)))
  const least = short ? SHORT.length : LEAST_DRAINED
  const faults = reports.flatMap((report, index) =>
    listFaults(report, CLIENTS[index]?.isGuarded ? null : least),
  )
  if (!short) {
    const table = formatLosses(reports)
    process.stderr.write(`${table}\n`)
    const page = await readFile(PAGE, 'utf8').catch(() => '')
    if (!page.includes(table)) faults.push('docs/losses.md has another table')
  }
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  const clients = reports.map(({ name, drained, controls, controlsPaid, categories }) => ({
    ...{ name, drained, controls, controlsPaid },
    categories: categories.filter(({ result }) => result === 'drained').map(({ category }) => category),
  }))
  return { ok: faults.length === 0, figures: { clients } }
}

async function crash({ name, file }: (typeof CLIENTS)[number], short: boolean): Promise<ClientReport> {
  const entry = new URL(`./clients/${file}.ts`, import.meta.url)
  const bundle = await bundleVictim(`crash-test-${file}`, entry, {
    noExternal: [/^(?!secp256k1$)/],
    external: ['secp256k1'],
    banner: COMMONJS_BANNER,
  })
  try {
    const report = await runCrashTest({
      command: [process.execPath, bundle.file],
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
