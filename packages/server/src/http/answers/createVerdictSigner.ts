import type { Verdict } from '@touchstone402/shared'
import type { EndpointState } from '../../domain/hostDocument.ts'
import {
  type AnswerContext,
  describeUnknown,
  describeVerdict,
  type Match,
  toDecision,
} from '../../domain/verdict.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DecisionSigner } from '../../ports/signer.ts'

export type VerdictSignerDeps = {
  readonly signer: Pick<DecisionSigner, 'sign'>
  readonly clock: Pick<Clock, 'now'>
  readonly publicUrl: string
  readonly liveCheckPriceUsd: number
}

/** How an endpoint was found, if it was. */
export type Found = { state: EndpointState; match: Match } | undefined

/** Makes the signed verdict on an endpoint, at once where the same decision was signed before. */
export type VerdictSigner = (endpoint: string, found: Found) => Verdict | Promise<Verdict>

/** Answers age by the minute, so that equal questions within one get equal bytes. */
const MINUTE = 60_000

/** Creates it. */
export function createVerdictSigner(deps: VerdictSignerDeps): VerdictSigner {
  const { signer, clock, publicUrl, liveCheckPriceUsd } = deps
  // A decision on a state stays the same until the state is derived anew or expires, and so does what signs it.
  const signatures = new WeakMap<EndpointState, string>()

  const describe = (endpoint: string, found: Found, now: number) => {
    const context: AnswerContext = { publicUrl, liveCheckPriceUsd, now }
    return found === undefined
      ? describeUnknown(endpoint, context)
      : describeVerdict(found.state, found.match, endpoint, context)
  }

  return (endpoint, found) => {
    const now = clock.now()
    const minute = Math.floor(now / MINUTE) * MINUTE
    const { state, match } = found ?? {}
    const expiry = state?.expiresAt ?? null
    const isExpired = expiry !== null && expiry <= now
    // Past its expiry a verdict is unknown at once, not at the next full minute.
    const at = state === undefined ? minute : isExpired ? now : Math.max(state.derivedAt, minute)
    const seq = state === undefined ? minute : isExpired ? Math.max(state.derivedAt, expiry) : state.derivedAt
    const verdict = describe(endpoint, found, at)
    // What has no expiry of its own is signed for a few minutes from now on, and a template stands for many endpoints.
    const lasts = match === 'exact' && verdict.verdict !== 'unknown' && expiry !== null
    const keeper = lasts ? state : undefined
    const known = keeper && signatures.get(keeper)
    if (known !== undefined) return { ...verdict, signature: known }
    return signer.sign(toDecision(verdict, seq, publicUrl, at)).then((signature) => {
      if (keeper !== undefined) signatures.set(keeper, signature)
      return { ...verdict, signature }
    })
  }
}
