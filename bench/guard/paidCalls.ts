import { type Economy, start } from '@touchstone402/economy'
import { createGuard, type FetchLike, type Guard, type PolicyInput } from '@touchstone402/guard'
import { decodeChallenge, type SignedDecision } from '@touchstone402/shared'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { openQuickSeller } from '../../e2e/support/seller.ts'
import { type SigningService, startSigningService, termOf } from '../../e2e/support/signingService.ts'
import { median, takeTurns, time } from './takeTurns.ts'

/** Durations of paid calls: guarded in ms, and as ratios to unguarded. */
export type PaidCalls = { warm: number; cold: number; guardedMs: number }

/**
 * Compares paid calls with the same client without a guard: settled on chain by a real facilitator, and accepted
 * immediately by the seller, which leaves signing and checking.
 */
export async function measurePaidCalls(short: boolean): Promise<Record<'settled' | 'unsettled', PaidCalls>> {
  const economy = await start({ clock: 'real', historyBlocks: 90 })
  const service = await startSigningService()
  const quick = await openQuickSeller(() => [economy.wallets.service.address, '1000'])
  try {
    const seller = economy.sellers['honest-v2']
    if (seller === undefined) throw new Error('the economy has no honest seller')
    return {
      settled: await compare(economy, service, seller.url, short ? 20 : 100),
      unsettled: await compare(economy, service, quick.url, short ? 50 : 300),
    }
  } finally {
    await quick.stop()
    await service.stop()
    await economy.stop()
  }
}

async function compare(
  economy: Economy,
  service: SigningService,
  url: string,
  rounds: number,
): Promise<PaidCalls> {
  service.decisions.set(new URL(url).href, await vouchFor(economy, url))
  return comparePaid(economy, createGuard({ service: { url: service.url }, policy: BOUNDLESS }), url, rounds)
}

/** A policy that stops none of the measured calls. */
export const BOUNDLESS: PolicyInput = {
  maxPerDayUsd: '1000',
  maxPerHostPerDayUsd: '1000',
  velocity: { perHostPerMinute: 100_000, identicalPerMinute: 100_000 },
}

/** Compares paid calls of the stock client behind a guard with those of the same client without one. */
export async function comparePaid(
  { wallets, fetch: send }: Economy,
  guard: Guard,
  url: string,
  rounds: number,
): Promise<PaidCalls> {
  const [account] = wallets.bots
  if (account === undefined) throw new Error('the economy has no bot')
  const wrapClient = (inner: FetchLike): FetchLike =>
    wrapFetchWithPayment(inner as typeof fetch, registerExactEvmScheme(new x402Client(), { signer: account }))
  const pay = (client: FetchLike) => async () => {
    const response = await client(url)
    await response.text()
    if (response.status !== 200) throw new Error(`not paid: ${response.status}`)
  }
  const bare = pay(wrapClient(send))
  const guarded = pay(wrapClient(guard.fetch(send)))
  // Warms up the libraries only: the guard's first call also requests keys and a verdict.
  for (let count = 0; count < 5; count++) await bare()
  const cold = await time(guarded)
  await takeTurns(5, bare, guarded)
  const times = await takeTurns(rounds, bare, guarded)
  // Ensures that the measured calls were paid.
  const { usdMicros } = guard.ledger.totals()
  if (usdMicros < BigInt(rounds)) throw new Error('the guarded calls were not paid')
  const [bareMs, guardedMs] = [median(times[0]), median(times[1])]
  return { warm: guardedMs / bareMs, cold: cold / bareMs, guardedMs }
}

/** Returns a full verdict of safe on the terms that a seller offers: calls without one have a small budget. */
async function vouchFor({ fetch }: Economy, url: string): Promise<Partial<SignedDecision>> {
  const header = (await fetch(url)).headers.get('PAYMENT-REQUIRED')
  const [offer] = decodeChallenge({ header, body: null }).offers
  if (offer === undefined) throw new Error('the seller offers nothing')
  const checkedAt = new Date().toISOString()
  const terms = [termOf(offer.payTo, offer.amountAtomic)]
  return { verdict: 'safe', riskLevel: 'clean', receiverStability: 'stable', probes: 20, checkedAt, terms }
}
