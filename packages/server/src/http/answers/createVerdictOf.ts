import type { Verdict } from '@touchstone402/shared'
import type { Time } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { startOfMinute } from '../../facts/times.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DecisionSigner } from '../../ports/signer.ts'
import { describeUnknown, describeVerdict, standsUntil, toDecision } from '../../publish/verdict.ts'
import type { Found } from '../../readModel/createReadModel.ts'

export type VerdictAnswerDeps = {
  readonly signer: Pick<DecisionSigner, 'sign'>
  readonly clock: Pick<Clock, 'now'>
  readonly publicUrl: string
  readonly liveCheckPriceUsd: number
}

/**
 * Returns the signed verdict on an endpoint, synchronously if its decision was signed before.
 * @param found null if the index does not hold the endpoint
 */
export type VerdictOf = (endpoint: string, found: Found | null) => Verdict | Promise<Verdict>

/** Creates it. Signatures are kept as long as the state they are about: signing costs more than the rest of an answer. */
export function createVerdictOf(deps: VerdictAnswerDeps): VerdictOf {
  const { signer, clock, publicUrl, liveCheckPriceUsd } = deps
  const signatures = new WeakMap<EndpointState, { readonly signature: string; readonly until: Time }>()

  return (endpoint, found) => {
    const now = clock.now()
    const at = momentOf(found?.state, now)
    const context = { publicUrl, liveCheckPriceUsd, now: at }
    const sign = (verdict: Verdict, seq: Time) => signer.sign(toDecision(verdict, seq, publicUrl, at))
    if (found === null) {
      const verdict = describeUnknown(endpoint, context)
      return sign(verdict, at).then((signature) => ({ ...verdict, signature }))
    }
    const { state, match, logIndex } = found
    const verdict = withLeaf(describeVerdict(state, match, endpoint, context), logIndex)
    const isOwn = endpoint === state.endpoint
    const signed = isOwn ? signatures.get(state) : undefined
    if (signed !== undefined && now < signed.until) return { ...verdict, signature: signed.signature }
    const { derivedAt, expiresAt } = state
    const seq = expiresAt !== null && expiresAt <= now ? Math.max(derivedAt, expiresAt) : derivedAt
    return sign(verdict, seq).then((signature) => {
      // A decision without an expiry is signed for some minutes from now.
      if (isOwn && verdict.verdict !== 'unknown' && expiresAt !== null)
        signatures.set(state, { signature, until: standsUntil(state, at) })
      return { ...verdict, signature }
    })
  }
}

/** Names the leaf that covers a decision. One that became unknown because it expired is covered by none. */
function withLeaf(verdict: Verdict, logIndex: number | undefined): Verdict {
  const isExpired = verdict.status === 'unmeasured' && verdict.lastChecked !== null
  return logIndex === undefined || isExpired ? verdict : { ...verdict, logIndex }
}

/** Returns the time that an answer speaks of. */
function momentOf(state: EndpointState | undefined, now: Time): Time {
  const minute = startOfMinute(now)
  if (state === undefined) return minute
  // An expired verdict is unknown at once, not at the next full minute.
  const isExpired = state.expiresAt !== null && state.expiresAt <= now
  return isExpired ? now : Math.max(state.derivedAt, minute)
}
