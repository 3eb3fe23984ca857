import type { Verdict } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import { startOfMinute } from '../../domain/facts/times.ts'
import { describeUnknown, describeVerdict, standsUntil, toDecision } from '../../domain/publish/verdict.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DecisionSigner } from '../../ports/signer.ts'
import type { Found } from '../../readModel/createReadModel.ts'

export type VerdictAnswerDeps = {
  readonly signer: Pick<DecisionSigner, 'sign'>
  readonly clock: Pick<Clock, 'now'>
  readonly publicUrl: string
  readonly liveCheckPriceUsd: number
}

/** Makes signed verdicts. */
export type VerdictAnswers = {
  /** @param found null if the index does not hold the endpoint */
  sign(endpoint: string, found: Found | null): Promise<Verdict>
  /** Returns the verdict if its decision was signed before. */
  recall(endpoint: string, found: Found): Verdict | undefined
}

/** Creates them. Signatures are kept as long as the state they are about: signing costs more than the rest of an answer. */
export function createVerdictAnswers(deps: VerdictAnswerDeps): VerdictAnswers {
  const { signer, clock, publicUrl, liveCheckPriceUsd } = deps
  const signatures = new WeakMap<EndpointState, { readonly signature: string; readonly until: Time }>()
  const contextAt = (now: Time) => ({ publicUrl, liveCheckPriceUsd, now })

  return {
    async sign(endpoint, found) {
      const now = clock.now()
      const at = momentOf(found?.state, now)
      if (found === null) {
        const verdict = describeUnknown(endpoint, contextAt(at))
        return { ...verdict, signature: await signer.sign(toDecision(verdict, at, publicUrl, at)) }
      }
      const { state, match, logIndex } = found
      const { derivedAt, expiresAt } = state
      const seq = expiresAt !== null && expiresAt <= now ? Math.max(derivedAt, expiresAt) : derivedAt
      const verdict = withLeaf(describeVerdict(state, match, endpoint, contextAt(at)), logIndex)
      const signature = await signer.sign(toDecision(verdict, seq, publicUrl, at))
      // A decision without an expiry is signed for some minutes from now.
      if (endpoint === state.endpoint && verdict.verdict !== 'unknown' && expiresAt !== null) {
        signatures.set(state, { signature, until: standsUntil(state, at) })
      }
      return { ...verdict, signature }
    },
    recall(endpoint, { state, match, logIndex }) {
      const now = clock.now()
      const signed = endpoint === state.endpoint ? signatures.get(state) : undefined
      if (signed === undefined || now >= signed.until) return undefined
      const context = contextAt(momentOf(state, now))
      const verdict = withLeaf(describeVerdict(state, match, endpoint, context), logIndex)
      return { ...verdict, signature: signed.signature }
    },
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
