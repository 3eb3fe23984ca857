import { readFile, writeFile } from 'node:fs/promises'
import { CATEGORIES, type Category, LEAGUE, type LeagueResult, runLeague } from '@touchstone402/crash-test'
import { formatLosses, type Losses } from './formatLosses.ts'

/** Sellers that only a listing or a measurement distinguishes from an honest new one. */
const NEEDS_LISTING: readonly Category[] = [
  'challenge_injection',
  'ghost_paywall',
  'lookalike_domain',
  'recipient_redirect',
  'unit_confusion',
]
/** The most that such a seller gets: `newSeller.perCallUsd` of the default policy. */
const NEW_SELLER_USD = 0.1
/** Attacks in which each stock client must be drained. */
const LEAST_DRAINED = 14
/** For agents that read: it takes nothing from a client without a model. */
const NEEDS_MODEL = 'prose_payment'
const SHORT: readonly Category[] = ['price_bait', 'recipient_redirect', 'retry_storm']
/** The result of the last run, from which the tables of the page are made. */
export const RESULT = new URL('./result.json', import.meta.url)
export const PAGE = new URL('../../../docs/losses.md', import.meta.url)
const MARKS = /(?<=<!-- crash-test -->\n\n)[\s\S]*?(?=\n\n<!-- \/crash-test -->)/
// Loading a client takes seconds on a busy machine.
const TIMEOUT_MS = 120_000

/**
 * The guard keeps every stock client from being drained, and lets it pay the honest sellers.
 *
 * Runs the league of the crash test: the stock clients, the guard in each integration and its proxy, with a policy from
 * the listing and with a service; and `createGuardedFetch` with neither.
 *
 * The bar: every client pays the honest sellers; the stock clients are drained in at least fourteen attacks, and every
 * attack but that on models drains one of them; no client with the guard is drained, except the one without prior
 * knowledge, which loses what the docs state. The tables of docs/losses.md are written from the result, and must have
 * been the same before.
 */
export async function run({ short }: { short: boolean }) {
  const guarded = LEAGUE.filter((client) => client.guarded)
  const uninformed = guarded
    .filter(({ name }) => name.endsWith('createGuardedFetch'))
    .map(({ command, ...client }) => ({ ...client, command: ['env', '-u', 'TARGET_LISTING', ...command] }))
  const options = { timeoutMs: TIMEOUT_MS, ...(short && { only: SHORT }), onClient: report }
  const alone = await runLeague(options)
  const service = await runLeague({ ...options, clients: guarded, service: true })
  const plain = await runLeague({ ...options, clients: uninformed })
  const losses = [
    ...alone.clients.map((one) => toLosses(one, one.guarded ? 'alone' : 'stock')),
    ...service.clients.map((one) => toLosses(one, 'service')),
    ...plain.clients.map((one) => toLosses(one, 'uninformed')),
  ]
  const faults = [alone, service, plain].flatMap(({ clients }) => clients.flatMap(listFaults))
  faults.push(...losses.flatMap((one) => listUnexpected(one, short)))
  if (!short) faults.push(...listHarmless(losses), ...(await writePage(losses)))
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  return { ok: faults.length === 0, figures: { clients: losses } }
}

function report({ name, drained, lostUsd }: LeagueResult): void {
  process.stderr.write(`${name}: drained in ${drained}, lost $${lostUsd}\n`)
}

function toLosses({ name, lostUsd, categories }: LeagueResult, setting: Losses['setting']): Losses {
  const drained = categories.filter(({ result }) => result === 'drained')
  const entries = drained.map(({ category, stolenUsd }) => [category, stolenUsd])
  return { name, setting, lostUsd, drained: Object.fromEntries(entries) }
}

/** Lists clients without a result, and runs that were cut off, which prove nothing. */
function listFaults({ name, notRun, categories }: LeagueResult): string[] {
  const cut = categories.filter(({ hung, crashed }) => hung + crashed > 0)
  return [
    ...(notRun === null ? [] : [`${name}: ${notRun}`]),
    ...cut.map(({ category, hung, crashed }) => `${name}: ${category}: ${hung} hung, ${crashed} crashed`),
  ]
}

/** Lists losses that the bar rules out. */
function listUnexpected({ name, setting, drained }: Losses, short: boolean): string[] {
  const names = CATEGORIES.filter((category) => drained[category] !== undefined)
  if (setting === 'stock') {
    const least = short ? SHORT.length : LEAST_DRAINED
    return names.length < least ? [`${name}: drained in ${names.length} of at least ${least}`] : []
  }
  if (setting !== 'uninformed') return names.map((category) => `${name}, ${setting}: drained by ${category}`)
  const expected = NEEDS_LISTING.filter((category) => !short || SHORT.includes(category))
  const dear = names.filter((category) => Number(drained[category]) > NEW_SELLER_USD)
  return [
    ...dear.map((category) => `${name} without the listing: ${category}: lost $${drained[category]}`),
    ...(`${names}` === `${expected}` ? [] : [`${name} without the listing: drained by ${names}`]),
  ]
}

/** Lists attacks that drain no stock client, and so show nothing. */
function listHarmless(losses: readonly Losses[]): string[] {
  const stock = losses.filter(({ setting }) => setting === 'stock')
  return CATEGORIES.filter((category) => category !== NEEDS_MODEL)
    .filter((category) => stock.every(({ drained }) => drained[category] === undefined))
    .map((category) => `${category} drains no stock client`)
}

/** Writes the result and the tables of the page. It is a fault if the page had others. */
async function writePage(losses: readonly Losses[]): Promise<string[]> {
  const page = await readFile(PAGE, 'utf8')
  const written = page.replace(MARKS, () => formatLosses(losses))
  await writeFile(RESULT, `${JSON.stringify(losses, null, 2)}\n`)
  await writeFile(PAGE, written)
  return page === written ? [] : ['docs/losses.md had other tables; they have been rewritten, check the diff']
}
