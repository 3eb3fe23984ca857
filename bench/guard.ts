import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Economy, start, USDC } from '@touchstone402/economy'
import { createGuard, type FetchLike } from '@touchstone402/guard'
import { BASE, encodeBase64Json } from '@touchstone402/shared'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { serve } from '../e2e/support/serve.ts'
import { startSigningService } from '../e2e/support/signingService.ts'

const BARS = { freeCallVsFetch: 1.02, addedUs: 1.5, paidCallVsUnguarded: 1.15, gzipKb: 40 }

/**
 * What the guard costs: a call without a 402 against bare `fetch`, over a real connection and over an inner fetch
 * that answers at once; a paid call against the same stock client without a guard, settled on chain by a real
 * facilitator; and the size of the bundle. The two of each pair take turns, so that a busy machine slows both.
 */
export async function run({ short }: { short: boolean }) {
  const economy = await start({ clock: 'real', historyBlocks: 90 })
  const service = await startSigningService()
  try {
    const seller = economy.sellers['honest-v2']
    if (seller === undefined) throw new Error('the economy has no honest seller')
    const guard = () =>
      createGuard({
        service: { url: service.url },
        policy: {
          maxPerDayUsd: '1000',
          maxPerHostPerDayUsd: '1000',
          velocity: { perHostPerMinute: 100_000, identicalPerMinute: 100_000 },
        },
      })
    const free = await compareFreeCalls(guard().fetch, short ? 1_000 : 5_000)
    const addedUs = await measureAdded(guard().fetch, short ? 20 : 100)
    const paid = await comparePaidCalls(economy, guard(), seller.url, short ? 20 : 100)
    const quick = await openQuickSeller(economy.wallets.service.address)
    const unsettled = await comparePaidCalls(economy, guard(), quick.url, short ? 50 : 300)
    await quick.stop()
    const figures = {
      freeCallVsFetch: round(free),
      addedUs: round(addedUs),
      paidCallVsUnguarded: round(paid.warm),
      gzipKb: round(await measureBundle()),
      paidCallMs: round(paid.guardedMs),
      coldCallVsUnguarded: round(paid.cold),
      // The same where nothing is settled and the seller answers at once: what is left is signing and checking.
      unsettledCallVsUnguarded: round(unsettled.warm),
      unsettledCallMs: round(unsettled.guardedMs),
    }
    const ok = (Object.keys(BARS) as (keyof typeof BARS)[]).every((key) => figures[key] <= BARS[key])
    return { ok, figures }
  } finally {
    await service.stop()
    await economy.stop()
  }
}

type Wrap = (inner?: FetchLike) => FetchLike

const round = (value: number) => Math.round(value * 1000) / 1000

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function time(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await call()
  return performance.now() - startedAt
}

/** Runs both in turns, each first as often as second; the times of each, in milliseconds. */
async function takeTurns(rounds: number, one: () => Promise<unknown>, other: () => Promise<unknown>) {
  const times: [number[], number[]] = [[], []]
  for (let count = 0; count < rounds; count++) {
    if (count % 2 === 0) times[0].push(await time(one))
    times[1].push(await time(other))
    if (count % 2 === 1) times[0].push(await time(one))
  }
  return times
}

async function compareFreeCalls(wrap: Wrap, rounds: number): Promise<number> {
  const server = await serve((_, response) => response.end('{"weather":"sunny"}'))
  const guarded = wrap(fetch)
  const read = (from: FetchLike) => async () => (await from(`${server.url}/weather`)).text()
  await takeTurns(rounds, read(fetch), read(guarded))
  const [bare, behind] = await takeTurns(rounds, read(fetch), read(guarded))
  await server.stop()
  return median(behind) / median(bare)
}

const CALLS = 20_000

/** Microseconds that one call takes longer, over an inner fetch that answers at once. */
async function measureAdded(wrap: Wrap, rounds: number): Promise<number> {
  const answer = new Response('sunny')
  const inner: FetchLike = async () => answer
  const guarded = wrap(inner)
  const many = (from: FetchLike) => async () => {
    for (let count = 0; count < CALLS; count++) await from('https://api.example.com/weather')
  }
  await takeTurns(5, many(inner), many(guarded))
  const [bare, behind] = await takeTurns(rounds, many(inner), many(guarded))
  return ((median(behind) - median(bare)) / CALLS) * 1000
}

async function comparePaidCalls(
  economy: Economy,
  guard: ReturnType<typeof createGuard>,
  url: string,
  rounds: number,
) {
  const [account] = economy.wallets.bots
  if (account === undefined) throw new Error('the economy has no bot')
  const wrapClient = (inner: FetchLike): FetchLike =>
    wrapFetchWithPayment(inner as typeof fetch, registerExactEvmScheme(new x402Client(), { signer: account }))
  const pay = (client: FetchLike) => async () => {
    const response = await client(url)
    await response.text()
    if (response.status !== 200) throw new Error(`not paid: ${response.status}`)
  }
  const bare = pay(wrapClient(economy.fetch))
  const guarded = pay(wrapClient(guard.fetch(economy.fetch)))
  // The libraries are warm, the guard is not: its first call also asks for keys and for a verdict.
  for (let count = 0; count < 5; count++) await bare()
  const cold = await time(guarded)
  await takeTurns(5, bare, guarded)
  const times = await takeTurns(rounds, bare, guarded)
  // What the guard has let out is what was measured: a call that met no 402 would be no paid one.
  const { usdMicros } = guard.ledger.totals()
  if (usdMicros < BigInt(rounds)) throw new Error('the guarded calls were not paid')
  const [bareMs, guardedMs] = [median(times[0]), median(times[1])]
  return { warm: guardedMs / bareMs, cold: cold / bareMs, guardedMs }
}

/** A seller that takes a payment for good as it is. */
function openQuickSeller(payTo: string) {
  const terms = { scheme: 'exact', network: BASE, amount: '1000', asset: USDC, payTo }
  const accepts = [{ ...terms, maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' } }]
  return serve((request, response) => {
    if (request.headers['payment-signature'] !== undefined) return response.end('sunny')
    const resource = { url: `http://${request.headers.host}${request.url}` }
    response.setHeader('PAYMENT-REQUIRED', encodeBase64Json({ x402Version: 2, resource, accepts }))
    response.writeHead(402).end('{}')
  })
}

/** The guard with everything that it needs, in kilobytes, as the size budget of its package measures it. */
async function measureBundle(): Promise<number> {
  const cwd = fileURLToPath(new URL('../packages/guard/', import.meta.url))
  const { stdout } = await promisify(execFile)('npx', ['size-limit', '--json'], { cwd }).catch(
    // Over its budget it fails, and prints the figures all the same.
    (error: { stdout: string }) => error,
  )
  const rows: { name: string; size: number }[] = JSON.parse(stdout)
  const row = rows.find(({ name }) => name.includes('everything'))
  if (row === undefined) throw new Error('the size budget has no such row')
  return row.size / 1000
}
