import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { USDC } from '@touchstone402/economy'
import { createGuard } from '@touchstone402/guard'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { bundlePayer } from '../../support/bundleVictim.ts'
import { startChild } from '../../support/child.ts'
import { INTEGRATIONS, type Pay, RETRY_INTEGRATIONS, resends } from '../../support/integrations.ts'
import type { Paid, PayerSettings } from '../../support/payer.ts'
import { serve } from '../../support/serve.ts'
import { termOf } from '../../support/signingService.ts'
import { challenge, deliver } from './openSeller.ts'
import type { Report } from './situations.ts'
import { GUARDED_KEY, HONEST, type World } from './world.ts'

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
 * Retries a call to an honest seller after every fault of its first paid answer, in every integration. The seller
 * delivers to a payment that it has seen before, and settles before the fault, not at all until the retry, or after the
 * fault. A killed process holds the file ledger; another one retries.
 */
export async function runRetryMatrix(
  world: World,
  { short, report }: { short: boolean; report: Report },
): Promise<RetryFigures> {
  const figures = { cases: 0, paidTwice: 0, retries: 0, retriesDelivered: 0 }
  const all = RETRY_INTEGRATIONS.flatMap((integration) =>
    FAULTS.flatMap((fault) => SETTLEMENTS.map((settlement) => ({ ...integration, fault, settlement }))),
  )
  const payer = await bundlePayer()
  for (const [index, one] of all.entries()) {
    if (short && index % 5 !== 0) continue
    const { settled, delivered } = await runCase(world, payer, one)
    const { integration, wire, fault, settlement } = one
    const where = `retry: ${integration} ${wire}, ${fault}, the seller ${settlement}`
    figures.cases += 1
    figures.paidTwice += Math.max(0, settled - 1)
    if (settled > 1) report(`PAID ${settled} times: ${where}`)
    if (!resends(integration)) continue
    figures.retries += 1
    if (delivered && settled === 1) figures.retriesDelivered += 1
    else report(`NOT DELIVERED, settled ${settled}: ${where}`)
  }
  return figures
}

type Case = (typeof RETRY_INTEGRATIONS)[number] & { fault: Fault; settlement: Settlement }

async function runCase(world: World, payer: string, { integration, wire, fault, settlement }: Case) {
  const { service, guarded } = world
  const seller = await openRetrySeller(world, fault, settlement, wire)
  const url = `${seller.url}/weather`
  service.fault = null
  service.decisions.clear()
  service.vouch(url, termOf(HONEST, String(PRICE)))
  const folder = await mkdtemp(join(tmpdir(), 'retry-matrix-'))
  const ledger = join(folder, 'ledger.jsonl')
  const trusted = { url: service.url, jwksThumbprint: service.thumbprint, timeoutMs: 20_000 }
  const before = await world.holdings(guarded.account.address)
  const call = { key: GUARDED_KEY, service: trusted, endpoint: url, ledger: { file: ledger }, integration }
  const attempt =
    fault === 'process killed'
      ? inProcesses(payer, { ...call, queries: [''] }, seller)
      : await inThisProcess(world, call, seller, fault)
  let delivered = false
  try {
    for (let count = 0; count < ATTEMPTS && !delivered; count++) {
      delivered = await attempt.run(count)
      if (count === 0 && settlement === 'settles late') await sleep(2 * LATE_MS)
    }
  } finally {
    await seller.stop()
    await attempt.end()
    await rm(folder, { recursive: true })
  }
  const moved = before - (await world.holdings(guarded.account.address))
  return { settled: Number(moved / PRICE), delivered }
}

type Attempts = { run(count: number): Promise<boolean>; end(): Promise<void> }
type RetrySeller = Awaited<ReturnType<typeof openRetrySeller>>

/** Each attempt is a new process; the first is killed with `kill -9` while the seller has its payment. */
function inProcesses(payer: string, settings: PayerSettings, seller: RetrySeller): Attempts {
  return {
    async run() {
      const child = startChild(payer, { settings })
      seller.onFault = () => void child.kill()
      await child.hear()
      return child.ask<Paid>('go').then(
        ({ paid }) => paid === 1,
        () => false,
      )
    },
    end: async () => {},
  }
}

async function inThisProcess(
  { guarded, economy }: World,
  { service, endpoint, ledger: { file }, integration }: PayerSettings & { ledger: { file: string } },
  seller: RetrySeller,
  fault: Fault,
): Promise<Attempts> {
  const ledger = await createFileLedger(file)
  const pay: Pay = INTEGRATIONS[integration](createGuard({ service, ledger }), economy.fetch, guarded.account)
  return {
    run() {
      const patience = new AbortController()
      seller.onFault = () => {
        if (fault === 'abort') patience.abort()
        if (fault === 'timeout') setTimeout(() => patience.abort(), 100)
      }
      return pay(endpoint, { signal: patience.signal }).then(
        async (response) => response.status === 200 && (await response.text()).includes('sunny'),
        () => false,
      )
    },
    end: () => ledger.close(),
  }
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
