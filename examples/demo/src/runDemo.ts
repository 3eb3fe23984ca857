import { type Economy, type SellerHandle, WALLET_INDEX, walletAt } from '@touchstone402/economy'
import { run as runAgentLoop } from '@touchstone402/example-agent-loop'
import { createBots, type Outcome, SERVICE_TIMEOUT_MS, type Shopper } from './bots.ts'
import type { Service } from './startService.ts'

/** A payment that was made. */
export type Paid = { bot: string; endpoint: string; amountUsd: string; tx: string }
/** A payment that the guard refused. */
export type Refused = { bot: string; endpoint: string; code: string }

/** Result of the demo: `expectations` counts what was checked, `failures` has one line for each expectation not met. */
export type DemoResult = {
  paid: Paid[]
  refused: Refused[]
  services: number
  incidents: number
  expectations: number
  failures: string[]
}

/** Creates the result of a demo that has not begun. */
export function createResult(): DemoResult {
  return {
    paid: [],
    refused: [],
    services: 0,
    incidents: 0,
    expectations: 0,
    failures: [],
  }
}

/** Sends the bots to every seller, then checks their payments against the sellers' characters and the chain. */
export async function runDemo(
  economy: Economy,
  service: Service,
  say: (line: string) => void,
): Promise<DemoResult> {
  const result = createResult()
  const expect = (holds: boolean, otherwise: string) => {
    result.expectations += 1
    if (!holds) result.failures.push(otherwise)
  }
  const { v1, v2 } = createBots(economy, service.url)
  const balances = await Promise.all([v1, v2].map(({ address }) => economy.chain.usdcBalanceOf(address)))

  const widest = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length))
  const width = widest(Object.values(economy.sellers).map(({ host }) => host))
  const botWidth = widest([v1, v2].map(({ name }) => name))
  const visit = async (bot: Shopper, { host, url, method }: SellerHandle): Promise<Outcome> => {
    const outcome = await bot.buy(url, method)
    record(result, bot.name, url, outcome)
    say(`  ${bot.name.padEnd(botWidth)}  ${host.padEnd(width)} ${describe(outcome)}`)
    return outcome
  }

  say('')
  say('Two agents with guarded wallets visit the sellers:')
  for (const seller of Object.values(economy.sellers)) {
    const { host, spec } = seller
    if (spec.character === 'swap-now') continue
    const outcome = await visit(v2, seller)
    if (spec.expected.guard === 'pays')
      expect(outcome.kind === 'paid', `${host}: expected a payment, ${describe(outcome)}`)
    if (spec.expected.guard === 'refuses')
      expect(outcome.kind !== 'paid', `${host}: expected a refusal, ${describe(outcome)}`)
  }
  for (const id of ['honest-v1', 'honest-search', 'honest-both']) {
    const seller = findSeller(economy, id)
    const outcome = await visit(v1, seller)
    expect(outcome.kind === 'paid', `${seller.host}: expected a v1 payment, ${describe(outcome)}`)
  }

  say('')
  say('A safe seller changes its receiver between two calls:')
  await checkSwap(economy, v2, visit, expect)

  await checkBalances(economy, [v1, v2], balances, result, expect)

  say('')
  say('An agent with a budget buys the catalog of the service and calls its safe endpoints:')
  await shopInCatalog(economy, service, result, say, expect)

  const status = (await (await fetch(`${service.url}/status.json`)).json()) as {
    ecosystem: { tracked: number }
  }
  const incidents = (await (await fetch(`${service.url}/incidents.json`)).json()) as { total: number }
  result.services = status.ecosystem.tracked
  result.incidents = incidents.total
  const codes = new Set(
    result.refused.filter(({ endpoint }) => !isApart(economy, endpoint)).map(({ code }) => code),
  )
  const paidHosts = new Set(result.paid.map(({ endpoint }) => new URL(endpoint).host))
  expect(paidHosts.size >= 3, `expected at least 3 services paid, got ${paidHosts.size}`)
  expect(codes.size >= 6, `expected at least 6 distinct refusal codes, got ${[...codes].join(', ')}`)
  return result
}

/** The dead seller is not refused by verdict. */
function isApart(economy: Economy, endpoint: string): boolean {
  return Object.values(economy.sellers).some(({ url, spec }) => url === endpoint && spec.character === 'dead')
}

function findSeller({ sellers }: Economy, id: string): SellerHandle {
  const seller = sellers[id]
  if (seller === undefined) throw new Error(`no such seller: ${id}`)
  return seller
}

type Expect = (holds: boolean, otherwise: string) => void

async function checkSwap(
  economy: Economy,
  bot: Shopper,
  visit: (bot: Shopper, seller: SellerHandle) => Promise<Outcome>,
  expect: Expect,
): Promise<void> {
  const seller = findSeller(economy, 'swap-now')
  const { host } = seller
  if (seller.swap === undefined) throw new Error(`${host} cannot swap its receiver`)
  const before = await visit(bot, seller)
  expect(before.kind === 'paid', `${host}: expected a payment before the swap, ${describe(before)}`)
  const sold = seller.paid
  const receiver = seller.swap()
  const after = await visit(bot, seller)
  expect(after.kind === 'refused', `${host}: expected a refusal at the swap, ${describe(after)}`)
  expect(seller.paid === sold, `${host}: a payment reached the seller after the swap`)
  expect((await economy.chain.usdcBalanceOf(receiver)) === 0n, `${host}: the new receiver was paid`)
}

/** Checks that each wallet spent exactly what its guard reported. */
async function checkBalances(
  economy: Economy,
  bots: readonly Shopper[],
  before: readonly bigint[],
  result: DemoResult,
  expect: Expect,
): Promise<void> {
  for (const [index, bot] of bots.entries()) {
    const spent = (before[index] ?? 0n) - (await economy.chain.usdcBalanceOf(bot.address))
    const reported = result.paid
      .filter((payment) => payment.bot === bot.name)
      .reduce((sum, { amountUsd }) => sum + toAtomic(amountUsd), 0n)
    expect(spent === reported, `${bot.name}: spent ${spent} on chain, but the guard reported ${reported}`)
  }
}

async function shopInCatalog(
  economy: Economy,
  service: Service,
  result: DemoResult,
  say: (line: string) => void,
  expect: Expect,
): Promise<void> {
  const name = 'agent-loop'
  const index = WALLET_INDEX.bots[2]
  const { address } = walletAt(index)
  const before = await economy.chain.usdcBalanceOf(address)
  let reported = 0n
  const results = await runAgentLoop({
    touchstoneUrl: service.url,
    account: walletAt(index),
    fetch: economy.fetch,
    timeoutMs: SERVICE_TIMEOUT_MS,
    onDecision: ({ type, endpoint, payment, transaction }) => {
      if (type !== 'settled' || payment === null || endpoint === null || transaction === null) return
      reported += toAtomic(payment.amountUsd)
      result.paid.push({ bot: name, endpoint, amountUsd: payment.amountUsd, tx: transaction })
      say(`  ${name}  ${endpoint}  paid $${payment.amountUsd}`)
      const { host } = new URL(endpoint)
      const seller = Object.values(economy.sellers).find((other) => other.host === host)
      expect(seller?.spec.expected.guard !== 'refuses', `${host}: ${name} paid where it should refuse`)
    },
  })
  const bought = results.filter(({ outcome }) => outcome === 'bought').length
  expect(bought >= 3, `agent-loop: expected at least 3 purchases, got ${bought}`)
  const spent = before - (await economy.chain.usdcBalanceOf(address))
  expect(spent === reported, `agent-loop: spent ${spent} on chain, but the guard reported ${reported}`)
  const earned = await economy.chain.usdcBalanceOf(economy.wallets.service.address)
  expect(earned === 5000n, `the service should have earned 0.005 USDC for its catalog, got ${earned}`)
}

function record(result: DemoResult, bot: string, endpoint: string, outcome: Outcome): void {
  if (outcome.kind === 'paid')
    result.paid.push({ bot, endpoint, amountUsd: outcome.amountUsd, tx: outcome.tx })
  if (outcome.kind === 'refused') result.refused.push({ bot, endpoint, code: outcome.code })
}

function describe(outcome: Outcome): string {
  if (outcome.kind === 'paid') {
    return `paid $${outcome.amountUsd}${outcome.status < 400 ? '' : ` and got status ${outcome.status}`}`
  }
  return outcome.kind === 'refused'
    ? `REFUSED ${outcome.code}: ${outcome.reason}`
    : `not paid, status ${outcome.status}`
}

/** Converts decimal USD to atomic USDC. */
function toAtomic(usd: string): bigint {
  const [whole = '0', fraction = ''] = usd.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}
