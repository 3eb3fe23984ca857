import type { Verdict } from '@touchstone402/shared'
import type { Context } from '../../context.ts'
import type { Time } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { startOfMinute } from '../../facts/times.ts'
import type { DecisionSigner } from '../../keys/signer.ts'
import { describeUnknown, describeVerdict, toDecision } from '../../publish/verdict.ts'
import type { Found } from '../../readModel/createReadModel.ts'

/**
 * Returns the signed verdict on an endpoint.
 * @param found null if the index does not hold the endpoint
 */
export async function signVerdict(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  signer: Pick<DecisionSigner, 'sign'>,
  endpoint: string,
  found: Found | null,
): Promise<Verdict> {
  const { publicUrl, prices } = config
  const now = clock.now()
  const at = momentOf(found?.state, now)
  const context = { publicUrl, liveCheckPriceUsd: Number(prices.trust), now: at }
  const sign = async (verdict: Verdict, seq: Time): Promise<Verdict> => ({
    ...verdict,
    signature: await signer.sign(toDecision(verdict, seq, publicUrl, at)),
  })
  if (found === null) return sign(describeUnknown(endpoint, context), at)
  const { match, logIndex } = found
  const state = withoutFuture(found.state, now)
  const verdict = withLeaf(describeVerdict(state, match, endpoint, context), logIndex)
  const { derivedAt, expiresAt } = state
  return sign(verdict, expiresAt !== null && expiresAt <= now ? Math.max(derivedAt, expiresAt) : derivedAt)
}

/** Limits the times of a state that another process made, whose clock is ahead by less than a minute. */
function withoutFuture(state: EndpointState, now: Time): EndpointState {
  const { lastChecked, darkSince } = state
  const isAhead = Math.max(lastChecked ?? 0, darkSince ?? 0) > now
  return isAhead
    ? { ...state, lastChecked: atMost(lastChecked, now), darkSince: atMost(darkSince, now) }
    : state
}

const atMost = (time: Time | null, now: Time) => (time === null ? null : Math.min(time, now))

/** Names the leaf that covers a decision. One that became unknown because it expired is covered by none. */
function withLeaf(verdict: Verdict, logIndex: number | undefined): Verdict {
  const isExpired = verdict.status === 'unmeasured' && verdict.lastChecked !== null
  return logIndex === undefined || isExpired ? verdict : { ...verdict, logIndex }
}

/** Returns the time that an answer speaks of. It is never ahead, though the clock of another process may be. */
function momentOf(state: EndpointState | undefined, now: Time): Time {
  const minute = startOfMinute(now)
  if (state === undefined) return minute
  // An expired verdict is unknown at once, not at the next full minute.
  const isExpired = state.expiresAt !== null && state.expiresAt <= now
  return isExpired ? now : Math.min(now, Math.max(state.derivedAt, minute))
}
