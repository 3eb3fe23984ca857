import type { SignedDecision } from '@touchstone402/shared'
import { termOf } from '../../../support/signingService.ts'
import { deliver } from '../openSeller.ts'
import { approves, attack, eachNew, type Scenario } from '../situations.ts'
import { THIEF } from '../world.ts'

const replay = attack('replay')

const SAFE: Partial<SignedDecision> = {
  verdict: 'safe',
  receiverStability: 'stable',
  probes: 99,
  terms: [termOf(THIEF, '90000')],
}
/** An answer of safe that was recorded before the endpoint was called `avoid`, by endpoint. */
const recorded = new Map<string, string>()

/** Verdicts, payments and receipts that are used a second time. */
export const replays: readonly Scenario[] = [
  replay(
    'After the verdict became avoid, an old one of safe that still holds is replayed.',
    ['VERDICT_AVOID', 'VERDICT_UNAVAILABLE'],
    {
      payTo: THIEF,
      amount: '90000',
      service(_, response, endpoint, service) {
        const old = recorded.get(endpoint)
        if (old !== undefined) return response.end(old)
        recorded.set(endpoint, JSON.stringify(service.answer(endpoint, SAFE)))
        response.end(JSON.stringify(service.answer(endpoint, { verdict: 'avoid', flags: ['payto_changed'] })))
      },
      cacheSeconds: 0,
      url: eachNew,
      calls: 2,
    },
  ),
  replay('The seller presents the payment a second time, at another server.', null, {
    async onPaid({ request, elsewhere }, response) {
      const { 'payment-signature': v2, 'x-payment': v1 } = request.headers
      const headers: Record<string, string> =
        v2 === undefined ? { 'x-payment': String(v1) } : { 'payment-signature': String(v2) }
      await fetch(`${elsewhere}/weather`, { headers })
      deliver(response, null)
    },
    approved: 1,
    notDrainable: 'a nonce settles once',
  }),
  replay(
    'Each payment is answered with the receipt of the first, so that the later ones look unspent.',
    'OVER_TOTAL_LIMIT',
    {
      onPaid: (_, response) => deliver(response, `0x${'ab'.repeat(32)}`),
      url: eachNew,
      policy: { maxTotalUsd: '0.02' },
      ...approves(2, 4),
    },
  ),
  replay('The entry dictates the nonce, so that a signature of another seller can be used again.', null, {
    extra: { name: 'USD Coin', version: '2', nonce: `0x${'01'.repeat(32)}`, validAfter: '0' },
    url: eachNew,
    ...approves(2, 2),
    notDrainable: 'both clients draw their own nonces',
  }),
]
