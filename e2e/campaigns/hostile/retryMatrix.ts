import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { USDC } from '@touchstone402/economy'
import { createGuard, type Guard } from '@touchstone402/guard'
import { createFileLedger, type FileLedger } from '@touchstone402/guard/ledger'
import { serve } from '../../support/serve.ts'
import { termOf } from '../../support/signingService.ts'
import { challenge, deliver } from './openSeller.ts'
import { RETRY_SEATS, type RetrySeat } from './retrySeats.ts'
import { HONEST, type World } from './world.ts'

const FAULTS = ['abort', 'timeout', 'reset', '5xx', '402 again', 'process killed'] as const
const SETTLEMENTS = ['settles', 'does not settle', 'settles late'] as const
type Fault = (typeof FAULTS)[number]
type Settlement = (typeof SETTLEMENTS)[number]

const PRICE = 10_000n
/** Attempts of an agent that does not give up. */
const ATTEMPTS = 3
const LATE_MS = 150

/** Sums of the retry matrix. */
export type RetryFigures = { cases: number; paidTwice: number; retries: number; retriesDelivered: number }

/**
 * Retries a call to an honest seller after every fault of its first paid answer, in every seat. The seller delivers to a
 * payment that it has seen before, and settles before the fault, not at all until the retry, or after the fault.
 */
export async function runRetryMatrix(
  world: World,
  { short, faults }: { short: boolean; faults: string[] },
): Promise<RetryFigures> {
  const figures = { cases: 0, paidTwice: 0, retries: 0, retriesDelivered: 0 }
  const all = RETRY_SEATS.flatMap((seat) =>
    FAULTS.flatMap((fault) => SETTLEMENTS.map((settlement) => ({ seat, fault, settlement }))),
  )
  for (const [index, one] of all.entries()) {
    if (short && index % 5 !== 0) continue
    const { settled, delivered } = await runCase(world, one)
    const where = `retry: ${one.seat.name}, ${one.fault}, the seller ${one.settlement}`
    figures.cases += 1
    figures.paidTwice += Math.max(0, settled - 1)
    if (settled > 1) faults.push(`PAID ${settled} times: ${where}`)
    if (!one.seat.resends) continue
    figures.retries += 1
    if (delivered && settled === 1) figures.retriesDelivered += 1
    else faults.push(`NOT DELIVERED, settled ${settled}: ${where}`)
  }
  return figures
}

type Case = { seat: RetrySeat; fault: Fault; settlement: Settlement }

async function runCase(world: World, { seat, fault, settlement }: Case) {
  const { service, guarded, economy } = world
  const seller = await openRetrySeller(world, fault, settlement, seat.wire)
  const url = `${seller.url}/weather`
  service.fault = null
  service.decisions.clear()
  const safe = { verdict: 'safe', score: 95, receiverStability: 'stable', probes: 12 } as const
  service.decisions.set(url, { ...safe, terms: [termOf(HONEST, String(PRICE))] })
  const folder = await mkdtemp(join(tmpdir(), 'retry-matrix-'))
  const ledgers: FileLedger[] = []
  const open = async (): Promise<Guard> => {
    const ledger = await createFileLedger(join(folder, 'ledger.jsonl'))
    ledgers.push(ledger)
    return createGuard({ service: { url: service.url, jwksThumbprint: service.thumbprint }, ledger })
  }
  const before = await world.holdings(guarded.account.address)
  let call = seat.open(await open(), economy.fetch, guarded.account)
  let delivered = false
  try {
    for (let attempt = 0; attempt < ATTEMPTS && !delivered; attempt++) {
      const patience = new AbortController()
      seller.onFault = () => {
        if (fault === 'abort' || fault === 'process killed') patience.abort()
        if (fault === 'timeout') setTimeout(() => patience.abort(), 100)
      }
      delivered = await call(url, patience.signal).then(
        async (response) => response.status === 200 && (await response.text()).includes('sunny'),
        () => false,
      )
      if (attempt > 0) continue
      // All that a killed process leaves is its ledger.
      if (fault === 'process killed') call = seat.open(await open(), economy.fetch, guarded.account)
      await new Promise((resolve) => setTimeout(resolve, 2 * LATE_MS))
    }
  } finally {
    await seller.stop()
    for (const ledger of ledgers) await ledger.close()
    await rm(folder, { recursive: true })
  }
  const moved = before - (await world.holdings(guarded.account.address))
  return { settled: Number(moved / PRICE), delivered }
}

async function openRetrySeller(world: World, fault: Fault, settlement: Settlement, wire: 'v1' | 'v2') {
  const seen = new Map<string, Promise<string | null>>()
  const settle = (payment: string) => {
    const done = seen.get(payment) ?? world.execute(payment, USDC)
    seen.set(payment, done)
    return done
  }
  let hasFailed = false
  const seller = {
    onFault: () => {},
    ...(await serve(async (request, response) => {
      request.resume()
      const payment = request.headers['payment-signature'] ?? request.headers['x-payment']
      if (payment === undefined) return ask(request, response, wire)
      if (hasFailed) return deliver(response, await settle(String(payment)))
      hasFailed = true
      if (settlement === 'settles') await settle(String(payment))
      if (settlement === 'settles late') setTimeout(() => settle(String(payment)), LATE_MS)
      seller.onFault()
      if (fault === 'reset') request.socket.destroy()
      if (fault === '5xx') response.writeHead(503).end('later')
      if (fault === '402 again') ask(request, response, wire)
    })),
  }
  return seller
}

function ask(request: IncomingMessage, response: ServerResponse, wire: 'v1' | 'v2'): void {
  const call = { request, path: request.url ?? '/', origin: `http://${request.headers.host}`, elsewhere: '' }
  challenge({}, [{}], { ...call, challenges: 0, payments: 0 }, wire, response)
}
