import type { ServerResponse } from 'node:http'
import { keyAt } from '@touchstone402/economy'
import { createGuard, isGuardError } from '@touchstone402/guard'
import { openQuickSeller, type QuickSeller, RECEIVER } from '../support/seller.ts'
import {
  type ServiceFault,
  type SigningService,
  startSigningService,
  termOf,
} from '../support/signingService.ts'
import { createRecordingWallet, STOCK_CLIENTS } from '../support/stockClients.ts'

const PRICE = '10000'
const TIMEOUT_MS = 250
/** Allowance above the timeout for the call's own work on a busy machine, in ms. */
const SLACK_MS = 500
/** Concurrent calls. */
const AT_ONCE = 10

const GOOD = {
  verdict: 'safe',
  receiverStability: 'stable',
  probes: 9,
  terms: [termOf(RECEIVER, PRICE)],
} as const

const json = (response: ServerResponse, body: unknown) => response.end(JSON.stringify(body))
const signed = (service: SigningService, endpoint: string) => service.answer(endpoint, decision())
const decision = () => ({ ...GOOD, terms: [...GOOD.terms] })

/** Every fault of the service, each with the most favorable verdict for the seller. */
const FAULTS: Record<string, ServiceFault> = {
  down: ({ socket }) => socket.destroy(),
  429: (_, response, endpoint, service) => json(response.writeHead(429), signed(service, endpoint)),
  500: (_, response, endpoint, service) => json(response.writeHead(500), signed(service, endpoint)),
  slow: (_, response, endpoint, service) => {
    const timer = setTimeout(() => json(response, signed(service, endpoint)), TIMEOUT_MS * 4)
    response.on('close', () => clearTimeout(timer))
  },
  HTML: (_, response) => response.end('<!doctype html><title>safe</title>'),
  '{}': (_, response) => response.end('{}'),
  'wrong URL': (_, response, endpoint, service) => json(response, signed(service, `${endpoint}/other`)),
  'bad signature': (_, response, endpoint, service) => {
    const answer = signed(service, endpoint)
    json(response, { ...answer, signature: answer.signature?.replace(/[^.]{4}$/, 'AAAA') })
  },
  expired: (_, response, endpoint, service) => {
    const expiresAt = new Date(Date.now() - 1000).toISOString()
    json(response, service.answer(endpoint, { ...decision(), expiresAt }))
  },
  'older seq': (_, response, endpoint, service) =>
    json(response, service.answer(endpoint, { ...decision(), seq: 1 })),
  truncated: (_, response, endpoint, service) => {
    const text = JSON.stringify(signed(service, endpoint))
    response.end(text.slice(0, -20))
  },
  redirect: (request, response, endpoint, service) => {
    if (request.url?.startsWith('/elsewhere')) return json(response, signed(service, endpoint))
    response.writeHead(307, { location: `/elsewhere?endpoint=${encodeURIComponent(endpoint)}` }).end()
  },
}

/**
 * The guard neither pays nor waits beyond its timeout while the verdict service fails.
 *
 * Runs many calls for every fault of the verdict service with a guard that would pay on a good verdict.
 *
 * The bar: no payment that the policy forbids without a verdict, and no call that exceeds the configured timeout. A
 * control before each fault shows that the same endpoint is paid while the service works.
 */
export async function run({ short }: { short: boolean }) {
  const callsEach = short ? 20 : 200
  const service = await startSigningService()
  const seller = await openQuickSeller(() => [RECEIVER, PRICE])
  const wallet = createRecordingWallet(keyAt(160))
  const figures = { faults: 0, calls: 0, unsafePayments: 0, controlsPaid: 0, slowestMs: 0 }
  const wrong: string[] = []
  try {
    for (const [name, fault] of Object.entries(FAULTS)) {
      figures.faults += 1
      for (let done = 0; done < callsEach; done += AT_ONCE) {
        const calls = await failAtOnce({ service, seller, wallet, name, fault })
        figures.calls += calls.times.length
        figures.unsafePayments += calls.paid
        figures.controlsPaid += calls.isControlPaid ? 1 : 0
        figures.slowestMs = Math.max(figures.slowestMs, ...calls.times.map(Math.ceil))
        for (const code of calls.codes) wrong.push(`${name}: ${code}`)
      }
      process.stderr.write(`${name}: ${callsEach} calls, ${figures.unsafePayments} unsafe payments so far\n`)
    }
    for (const line of new Set(wrong)) process.stderr.write(`not refused for a missing verdict: ${line}\n`)
    const isPaid = figures.controlsPaid * AT_ONCE === figures.calls
    const isInTime = figures.slowestMs <= TIMEOUT_MS + SLACK_MS
    return { ok: figures.unsafePayments === 0 && wrong.length === 0 && isPaid && isInTime, figures }
  } finally {
    await seller.stop()
    await service.stop()
  }
}

type Round = {
  service: SigningService
  seller: QuickSeller
  wallet: ReturnType<typeof createRecordingWallet>
  name: string
  fault: ServiceFault
}

/** Runs a control while the service works, then calls to many endpoints during the fault, with one guard. */
async function failAtOnce({ service, seller, wallet, name, fault }: Round) {
  service.fault = null
  service.decisions.clear()
  // A replay needs a newer verdict seen before. The cache expires at once, so that each call sends a request.
  const options = {
    url: service.url,
    jwksThumbprint: service.thumbprint,
    timeoutMs: TIMEOUT_MS,
    cacheSeconds: 0,
  }
  const guard = createGuard({
    service: options,
    policy: { onUnavailable: 'block', maxPerHostPerDayUsd: '5.00' },
  })
  const pay = STOCK_CLIENTS['@x402/fetch'](guard.fetch(), wallet.account, 'none')
  const endpoints = Array.from({ length: AT_ONCE }, (_, index) => `${seller.url}/${index}`)
  const control = `${seller.url}/control`
  for (const endpoint of [...endpoints, control]) service.decisions.set(endpoint, decision())
  if (name === 'older seq') for (const endpoint of endpoints) await guard.verdict(endpoint)
  const isControlPaid = (await pay(control)).status === 200

  service.fault = fault
  const before = { signatures: wallet.signed.length, payments: seller.payments() }
  const codes: string[] = []
  const times = await Promise.all(
    endpoints.map(async (endpoint) => {
      const startedAt = performance.now()
      const code = await pay(endpoint).then(
        ({ status }) => String(status),
        (error: unknown) => (isGuardError(error) ? error.code : String(error)),
      )
      if (code !== 'VERDICT_UNAVAILABLE') codes.push(code)
      return performance.now() - startedAt
    }),
  )
  const signatures = wallet.signed.length - before.signatures
  return { times, codes, isControlPaid, paid: Math.max(signatures, seller.payments() - before.payments) }
}
