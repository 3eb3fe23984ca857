import type { SignedDecision } from '@touchstone402/shared'
import { termOf } from '../../../support/signingService.ts'
import { deliver } from '../openSeller.ts'
import type { Scenario } from '../types.ts'
import { THIEF } from '../world.ts'

const category = 'replay'
const url = ({ origin, count }: { origin: string; count: number }) => `${origin}/weather?call=${count}`
const SAFE: Partial<SignedDecision> = {
  ...{ verdict: 'safe', receiverStability: 'stable', probes: 99, terms: [termOf(THIEF, '90000')] },
}
/** An answer of safe that was recorded before the endpoint was called `avoid`, by endpoint. */
const recorded = new Map<string, string>()

/** Verdicts, payments and receipts that are used a second time. */
export const replays: readonly Scenario[] = [
  {
    category,
    name: 'After the verdict became avoid, an old one of safe that still holds is replayed.',
    seller: { terms: [{ payTo: THIEF, amount: '90000' }] },
    service(_, response, endpoint, service) {
      const old = recorded.get(endpoint)
      if (old !== undefined) return response.end(old)
      recorded.set(endpoint, JSON.stringify(service.answer(endpoint, SAFE)))
      response.end(JSON.stringify(service.answer(endpoint, { verdict: 'avoid', flags: ['payto_changed'] })))
    },
    cacheSeconds: 0,
    url,
    calls: 2,
    code: ['VERDICT_AVOID', 'VERDICT_UNAVAILABLE'],
  },
  {
    category,
    name: 'The seller presents the payment a second time, at another server.',
    seller: {
      async onPaid({ request, elsewhere }, response) {
        const { 'payment-signature': v2, 'x-payment': v1 } = request.headers
        const headers: Record<string, string> =
          v2 === undefined ? { 'x-payment': String(v1) } : { 'payment-signature': String(v2) }
        await fetch(`${elsewhere}/weather`, { headers })
        deliver(response, null)
      },
    },
    approved: 1,
    code: null,
    notDrainable: 'a nonce settles once',
  },
  {
    category,
    name: 'Each payment is answered with the receipt of the first, so that the later ones look unspent.',
    seller: { onPaid: (_, response) => deliver(response, `0x${'ab'.repeat(32)}`) },
    url,
    policy: { maxTotalUsd: '0.02' },
    calls: 4,
    approved: 2,
    code: 'OVER_TOTAL_LIMIT',
  },
  {
    category,
    name: 'The entry dictates the nonce, so that a signature of another seller can be used again.',
    seller: {
      terms: [{ extra: { name: 'USD Coin', version: '2', nonce: `0x${'01'.repeat(32)}`, validAfter: '0' } }],
    },
    url,
    calls: 2,
    approved: 2,
    code: null,
    notDrainable: 'both clients draw their own nonces',
  },
]
