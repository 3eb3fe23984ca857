import {
  type CanonicalUrl,
  type Challenge,
  canonicalizeUrl,
  InvalidUrlError,
  type Offer,
  X402_HEADERS,
} from '@touchstone402/shared'
import { screen } from '../decide/screen.ts'
import { approve } from '../paying/approve.ts'
import { watchDelivery } from '../paying/delivery.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { type Refused, refuse } from '../paying/refuse.ts'
import { headerOf, methodOf, urlOf } from '../paying/request.ts'
import { readReceipt, recordSettlement } from '../paying/settlement.ts'
import type { FetchLike } from '../types.ts'

/** Puts the guard around a `fetch` that already pays; see {@link Guard.outer} for what that is worth. */
export function guardOuterFetch(context: GuardContext, paying: FetchLike): FetchLike {
  return async (input, init) => {
    const url = urlOf(input)
    const call = { method: methodOf(input, init), url, requestedUrl: url }
    const traceparent = headerOf(input, init, 'traceparent')
    const challenge = await expectChallenge(context, url, { method: call.method, traceparent })
    const { open } = await approve(context, { ...call, challenge, traceparent })
    // Nothing of this approval may let a payment out elsewhere: it stands for what the wrapped fetch will do.
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
    const { headers } = response
    const receipt = readReceipt(headers.get(X402_HEADERS.response) ?? headers.get(X402_HEADERS.v1Response))
    await recordSettlement(context, open, receipt)
    return watchDelivery(response, call.method, (delivered) =>
      context.ledger.update(open.reservation, { delivered }),
    )
  }
}

// The offer that the endpoint is expected to make: the dearest of the checked terms that the policy could pay.
async function expectChallenge(context: GuardContext, url: string, call: Refused): Promise<Challenge> {
  const nothing = {
    versions: [],
    resource: null,
    declaresInput: false,
    declaresOutput: false,
    problems: [],
    disagreements: [],
  }
  const empty: Challenge = { ...nothing, offers: [], header: null, body: null }
  let canonical: CanonicalUrl
  try {
    canonical = canonicalizeUrl(url)
  } catch (error) {
    // What is wrong with the address is said where every address is judged.
    if (error instanceof InvalidUrlError) return empty
    throw error
  }
  const state = await context.verdicts.get(canonical.key)
  const refused = { ...call, endpoint: canonical.key }
  if (state.state !== 'signed') {
    throw refuse(context, 'VERDICT_UNAVAILABLE', { ...refused, details: state.detail })
  }
  const { verdict } = state
  // The price of what was never measured is not known, so no amount bounds it.
  if (verdict.terms.length === 0) throw refuse(context, 'VERDICT_UNKNOWN', { ...refused, verdict })
  const offers = verdict.terms.map(
    (term): Offer => ({
      ...{ x402Version: term.x402Version, source: 'header', scheme: term.scheme, network: term.network },
      ...{ asset: term.asset, payTo: term.payTo, amountAtomic: term.amountAtomicMax, extra: {}, raw: {} },
      maxTimeoutSeconds: context.policy.maxAuthorizationSeconds,
    }),
  )
  const payable = offers.flatMap((offer) => {
    const screened = screen(context.policy, canonical, { ...empty, offers: [offer] })
    return 'candidates' in screened ? screened.candidates : []
  })
  payable.sort((a, b) => (a.usdMicros < b.usdMicros ? 1 : -1))
  const dearest = payable[0]?.offer
  return { ...empty, offers: dearest === undefined ? offers : [dearest] }
}
