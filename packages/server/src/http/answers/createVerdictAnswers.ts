import type { Verdict } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import type { EndpointState } from '../../domain/facts/hostDocument.ts'
import {
  type AnswerContext,
  describeAge,
  describeUnknown,
  describeVerdict,
  type Match,
  standsUntil,
  toDecision,
} from '../../domain/publish/verdict.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DecisionSigner } from '../../ports/signer.ts'
import type { AgeingAnswer } from '../deps.ts'
import { endOfMinute, startOfMinute } from '../free/minute.ts'
import { createJsonRepresentation, type Ending } from '../free/representation.ts'

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
  /** The same as bytes, where its decision was signed before. */
  recall(endpoint: string, state: EndpointState): StandingVerdict | undefined
}

/** A signed verdict as bytes, all but its age. */
export type StandingVerdict = Pick<AgeingAnswer, 'representation' | 'ending' | 'standsUntil'>

/** Creates them. What was signed is kept as long as the state that it is about: signing costs more than all the rest. */
export function createVerdictAnswers(deps: VerdictAnswerDeps): VerdictAnswers {
  const { signer, clock, publicUrl, liveCheckPriceUsd } = deps
  const standing = new WeakMap<EndpointState, StandingVerdict>()

  const keep = (state: EndpointState, verdict: Verdict, at: Time) => {
    const { ts: _ts, cacheAgeHours: _age, ...stays } = verdict
    standing.set(state, {
      // An object that is still open: its age closes it.
      representation: createJsonRepresentation(JSON.stringify(stays).slice(0, -1)),
      ending: (now) => writeAge(state, now),
      standsUntil: standsUntil(state, at),
    })
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
    recall(endpoint, state) {
      const kept = endpoint === state.endpoint ? standing.get(state) : undefined
      return kept === undefined || clock.now() >= kept.standsUntil ? undefined : kept
    },
  }
}

function writeAge(state: EndpointState, now: Time): Ending {
  const at = momentOf(state, now)
  const { ts, cacheAgeHours } = describeAge(state, at)
  return {
    text: `,"ts":"${ts}","cacheAgeHours":${cacheAgeHours}}`,
    tag: at.toString(36),
    until: endOfMinute(now),
  }
}

/** The moment that an answer speaks of. */
function momentOf(state: EndpointState | undefined, now: Time): Time {
  const minute = startOfMinute(now)
  if (state === undefined) return minute
  // Past its expiry a verdict is unknown at once, not at the next full minute.
  const isExpired = state.expiresAt !== null && state.expiresAt <= now
  return isExpired ? now : Math.max(state.derivedAt, minute)
}
