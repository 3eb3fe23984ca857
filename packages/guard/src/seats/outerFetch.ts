import type { Challenge } from '@touchstone402/shared'
import { createChallenge, createOffer } from '../decide/createChallenge.ts'
import { screen } from '../decide/screen.ts'
import { approve } from '../paying/approve.ts'
import { watchDelivery } from '../paying/delivery.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { type Refused, refuse } from '../paying/refuse.ts'
import { headerOf, methodOf, urlOf } from '../paying/request.ts'
import { readReceipt, recordSettlement } from '../paying/settlement.ts'
import { readUrl } from '../readUrl.ts'
import type { FetchLike } from '../types.ts'

/** Wraps a `fetch` that already pays; see {@link Guard.outer} for its limits. */
export function guardOuterFetch(context: GuardContext, paying: FetchLike): FetchLike {
  return async (input, init) => {
    const url = urlOf(input)
    const call = { method: methodOf(input, init), url, requestedUrl: url }
    const traceparent = headerOf(input, init, 'traceparent')
    const challenge = await expectChallenge(context, url, { method: call.method, traceparent })
    const { open } = await approve(context, { ...call, challenge, traceparent })
    // The approval is for the wrapped fetch; no other seat may use it.
    context.intents.withdraw(open)
    await context.ledger.update(open.reservation, { state: 'sent', authorization: null })
    context.count('paid')
    let response: Response
    try {
      response = await paying(input, init)
    } catch (error) {
      await recordSettlement(context, open, null)
      throw error
    }
    await recordSettlement(context, open, readReceipt(response.headers))
    return watchDelivery(response, call.method, (delivered) =>
      context.ledger.update(open.reservation, { delivered }),
    )
  }
}

// Expects the most expensive of the checked terms that the policy can pay.
async function expectChallenge(context: GuardContext, url: string, call: Refused): Promise<Challenge> {
  const canonical = readUrl(url)
  // `approve` refuses the URL.
  if (typeof canonical === 'string') return createChallenge([])
  const state = await context.verdicts.get(canonical.key)
  const refused = { ...call, endpoint: canonical.key }
  if (state.state !== 'signed') {
    throw refuse(context, 'VERDICT_UNAVAILABLE', { ...refused, details: state.detail })
  }
  const { verdict } = state
  // Without checked terms no price is known, so no limit applies.
  if (verdict.terms.length === 0) throw refuse(context, 'VERDICT_UNKNOWN', { ...refused, verdict })
  const maxTimeoutSeconds = context.policy.maxAuthorizationSeconds
  const offers = verdict.terms.map(({ x402Version, scheme, network, asset, payTo, amountAtomicMax }) =>
    createOffer({
      x402Version,
      scheme,
      network,
      asset,
      payTo,
      amountAtomic: amountAtomicMax,
      maxTimeoutSeconds,
    }),
  )
  const payable = offers.flatMap((offer) => {
    const screened = screen(context.policy, canonical, createChallenge([offer]))
    return 'candidates' in screened ? screened.candidates : []
  })
  payable.sort((a, b) => (a.usdMicros < b.usdMicros ? 1 : -1))
  const [dearest] = payable
  return createChallenge(dearest === undefined ? offers : [dearest.offer])
}
