import { CATEGORIES } from '@touchstone402/crash-test'
import { controls } from './controls.ts'
import { runRetryMatrix } from './retryMatrix.ts'
import { isHonest, runLane } from './runLane.ts'
import { scenarios } from './scenarios/index.ts'
import type { Control, Lane, Report, Scenario } from './situations.ts'
import { openWorld, type World } from './world.ts'

const PRICE = 10_000n
/** Every stock client with every challenge form that it reads. x402-fetch reads no header. */
const LANES = [
  { client: '@x402/fetch', wire: 'v2' },
  { client: '@x402/fetch', wire: 'v1' },
  { client: 'x402-fetch', wire: 'v1' },
] as const

/**
 * No attack makes the guard sign or move more than the policy approves, and every honest seller is paid.
 *
 * Runs every attack with real servers, signatures and a real chain against both versions of the stock clients: first
 * without a guard, to show that the attack works, then in each integration of a guard.
 *
 * The bar: with the guard, nothing is signed or moved beyond what the policy approved; every attack drains some stock
 * client or states why it cannot; and every honest control is paid.
 */
export async function run({ short }: { short: boolean }) {
  const chosen = short ? CATEGORIES.flatMap(chooseOne) : scenarios
  const world = await openWorld()
  let faults = 0
  const report: Report = (fault) => {
    faults += 1
    process.stderr.write(`${fault}\n`)
  }
  try {
    const attacks: Attacked[] = []
    for (const scenario of chosen) attacks.push(await attack(world, scenario, report))
    const retried = await runRetryMatrix(world, { short, report })
    let controlsPaid = 0
    for (const [index, control] of controls.entries()) {
      const lanes = lanesOf(control)
      const some = short ? lanes.filter((_, lane) => lane === index % lanes.length) : lanes
      if (await isPaid(world, control, some, report)) controlsPaid += 1
    }
    const unapprovedSignatures = attacks.reduce((sum, { unapproved }) => sum + unapproved, 0)
    const moved = attacks.reduce((sum, one) => sum + one.moved, 0n)
    const drained = attacks.filter(({ drains }) => drains > 0).length
    const figures = {
      scenarios: chosen.length,
      unapprovedSignatures,
      ...retried,
      movedUsd: toUsd(moved),
      controls: controls.length,
      controlsPaid,
      runs: attacks.reduce((sum, { lanes }) => sum + lanes, 0),
      drainedUnguarded: drained,
      notDrainable: chosen.length - drained,
      takenUnguardedUsd: toUsd(attacks.reduce((sum, { taken }) => sum + taken, 0n)),
    }
    const isDelivered = retried.retriesDelivered >= 0.95 * retried.retries
    const isKept = unapprovedSignatures === 0 && moved === 0n && retried.paidTwice === 0 && isDelivered
    return { ok: isKept && controlsPaid === controls.length && faults === 0, figures }
  } finally {
    await world.stop()
  }
}

/** Returns the first attack of a category that drains a client. */
function chooseOne(category: Scenario['category']): Scenario | [] {
  return scenarios.find((one) => one.category === category && one.notDrainable === undefined) ?? []
}

/** Returns the lanes of a scenario: every client below guard.fetch, the newer one in the integrations that see less too. */
function lanesOf({
  lanes = LANES,
  integrations = ['hooks', 'account'],
}: Pick<Scenario, 'lanes' | 'integrations'>): Lane[] {
  const newer = lanes.find(({ client }) => client === '@x402/fetch')
  const others = newer === undefined ? [] : integrations.map((integration) => ({ ...newer, integration }))
  return [...lanes.map((lane) => ({ ...lane, integration: 'fetch' as const })), ...others]
}

type Attacked = {
  lanes: number
  unapproved: number
  /** Units that left the guarded wallet without approval. */
  moved: bigint
  /** Lanes in which the unguarded wallet lost money. */
  drains: number
  taken: bigint
}

async function attack(world: World, scenario: Scenario, report: Report): Promise<Attacked> {
  const { approved = 0, code } = scenario
  const lanes = lanesOf(scenario)
  const sum: Attacked = { lanes: lanes.length, unapproved: 0, moved: 0n, drains: 0, taken: 0n }
  const honest = PRICE * BigInt(approved)
  for (const lane of lanes) {
    const where = `${scenario.category}: ${scenario.name} ${lane.client} ${lane.wire} ${lane.integration}`
    if (lane.integration === 'fetch') {
      const free = await runLane(world, scenario, lane, false)
      const excess = free.moved - honest
      if (excess > 0n) {
        sum.drains += 1
        sum.taken += excess
      }
    }
    const { signed, moved, results, leaked } = await runLane(world, scenario, lane, true)
    const good = signed.filter((one) => isHonest(one)).length
    const unapproved = signed.length - Math.min(good, approved)
    sum.unapproved += unapproved
    sum.moved += moved > honest ? moved - honest : 0n
    const told = JSON.stringify(results)
    if (unapproved > 0) report(`SIGNED ${unapproved} unapproved: ${where}: ${told}`)
    if (moved > honest) report(`MOVED ${moved}, approved ${honest}: ${where}: ${told}`)
    if (good < approved) report(`refused what the policy approves, ${good} of ${approved}: ${where}: ${told}`)
    if (leaked) report(`the seller's words came out: ${where}`)
    const refusals = results.filter((result) => /^[A-Z_]+$/.test(result))
    const { [lane.integration]: expected = code } = scenario.integrationCodes ?? {}
    const codes: readonly (string | undefined)[] = expected === null ? [undefined] : [expected].flat()
    if (!codes.includes(refusals.at(-1))) report(`not refused as ${codes.join(' or ')}: ${where}: ${told}`)
  }
  const isDrained = sum.drains > 0
  if (isDrained === (scenario.notDrainable !== undefined)) {
    report(`${isDrained ? 'drained' : 'not drained'} without a guard: ${scenario.category}: ${scenario.name}`)
  }
  const unguarded = isDrained ? `${sum.drains} drained` : `none (${scenario.notDrainable})`
  process.stderr.write(
    `${scenario.category}: ${scenario.name} Without a guard ${unguarded}, with it ${sum.moved}\n`,
  )
  return sum
}

async function isPaid(
  world: World,
  control: Control,
  lanes: readonly Lane[],
  report: Report,
): Promise<boolean> {
  const { calls = 1, price = PRICE, payments = calls } = control
  let paid = 0
  for (const lane of lanes) {
    const { signed, moved, received, results } = await runLane(world, control, lane, true)
    const due = price * BigInt(payments)
    const isRight =
      results.slice(payments - calls).every((result) => /^20[01]:[1-9]/.test(result)) &&
      signed.filter((one) => isHonest(one, price)).length === (price === 0n ? 0 : payments) &&
      moved === due &&
      received === due
    if (isRight) paid += 1
    else
      report(
        `NOT PAID: ${control.name}, ${lane.client} ${lane.wire} ${lane.integration}: ${JSON.stringify(results)}`,
      )
  }
  process.stderr.write(`control: ${control.name}: ${paid} of ${lanes.length} paid\n`)
  return paid === lanes.length
}

const toUsd = (units: bigint): string => {
  const cents = units.toString().padStart(7, '0')
  return `${cents.slice(0, -6)}.${cents.slice(-6)}`.replace(/\.?0+$/, '')
}
