import type { Verdict } from '@touchstone402/shared'
import type { Time } from '../../domain/facts.ts'
import type { EndpointState } from '../../domain/hostDocument.ts'
import {
  type AnswerContext,
  describeAge,
  describeUnknown,
  describeVerdict,
  type Match,
  standsUntil,
  toDecision,
} from '../../domain/verdict.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DecisionSigner } from '../../ports/signer.ts'

export type VerdictAnswerDeps = {
  readonly signer: Pick<DecisionSigner, 'sign'>
  readonly clock: Pick<Clock, 'now'>
  readonly publicUrl: string
  readonly liveCheckPriceUsd: number
}

/** Makes signed verdicts. */
export type VerdictAnswers = {
  /** @param found how the index holds the endpoint, if it does */
  sign(endpoint: string, found: { state: EndpointState; match: Match } | undefined): Promise<Verdict>
  /** The same as JSON, where its decision was signed before. */
  write(endpoint: string, state: EndpointState): string | undefined
}

/** Answers age by the minute, so that equal questions within one get equal bytes. */
const MINUTE = 60_000

/** Creates them. What was signed is kept as long as the state that it is about: signing costs more than all the rest. */
export function createVerdictAnswers(deps: VerdictAnswerDeps): VerdictAnswers {
  const { signer, clock, publicUrl, liveCheckPriceUsd } = deps
  /** Objects that are still open, without what ages. */
  const written = new WeakMap<EndpointState, { readonly text: string; readonly until: Time }>()

  const keep = (state: EndpointState, verdict: Verdict, at: Time) => {
    const { ts: _ts, cacheAgeHours: _age, ...standing } = verdict
    written.set(state, { text: JSON.stringify(standing).slice(0, -1), until: standsUntil(state, at) })
  }

  return {
    async sign(endpoint, found) {
      const now = clock.now()
      const at = momentOf(found?.state, now)
      const context: AnswerContext = { publicUrl, liveCheckPriceUsd, now: at }
      if (found === undefined) {
        const verdict = describeUnknown(endpoint, context)
        return { ...verdict, signature: await signer.sign(toDecision(verdict, at, publicUrl, at)) }
      }
      const { state, match } = found
      const { derivedAt, expiresAt } = state
      const seq = expiresAt !== null && expiresAt <= now ? Math.max(derivedAt, expiresAt) : derivedAt
      const verdict = describeVerdict(state, match, endpoint, context)
      const signature = await signer.sign(toDecision(verdict, seq, publicUrl, at))
      const signed = { ...verdict, signature }
      // What has no expiry of its own is signed for some minutes from now on.
      if (endpoint === state.endpoint && verdict.verdict !== 'unknown' && expiresAt !== null) {
        keep(state, signed, at)
      }
      return signed
    },
    write(endpoint, state) {
      const kept = endpoint === state.endpoint ? written.get(state) : undefined
      if (kept === undefined) return undefined
      const at = momentOf(state, clock.now())
      if (at >= kept.until) return undefined
      const { ts, cacheAgeHours } = describeAge(state, at)
      return `${kept.text},"ts":"${ts}","cacheAgeHours":${cacheAgeHours}}`
    },
  }
}

/** The moment that an answer speaks of. */
function momentOf(state: EndpointState | undefined, now: Time): Time {
  const minute = Math.floor(now / MINUTE) * MINUTE
  if (state === undefined) return minute
  // Past its expiry a verdict is unknown at once, not at the next full minute.
  const isExpired = state.expiresAt !== null && state.expiresAt <= now
  return isExpired ? now : Math.max(state.derivedAt, minute)
}
