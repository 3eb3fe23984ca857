import type { Claim, ClaimStore } from '../../ports/claims.ts'
import {
  ANSWER_KEPT_MS,
  advancedClaim,
  claimId,
  mayClaim,
  newClaim,
  OPEN_STATES,
  withoutStaleAnswer,
} from './claimRules.ts'
import { createKeyedQueue } from './createKeyedQueue.ts'

/** What a claim book needs. */
export type ClaimBookDeps = {
  /** Makes a claim's new state durable and hands it to `restore`; rejects when it cannot. */
  persist(claim: Claim): Promise<void>
  /** Real time, milliseconds since 1970: answers are let go of by it. */
  now(): number
}

/** The claims of one process, held in memory and written through. */
export type ClaimBook = ClaimStore & {
  /** Takes in a claim that is durable. */
  restore(claim: Claim): void
}

/**
 * Makes an empty book.
 *
 * Work on one authorization is done one after the other, and a claim is visible only once it is durable: of any
 * number of equal attempts exactly one wins, and the losers hear of it when a crash can no longer undo it.
 */
export function createClaimBook({ persist, now }: ClaimBookDeps): ClaimBook {
  const claims = new Map<string, Claim>()
  const open = new Set<string>()
  const queue = createKeyedQueue()
  /** Claims that hold an answer, oldest first. */
  const answered: { id: string; until: number }[] = []

  const restore = (claim: Claim): void => {
    const id = claimId(claim)
    claims.set(id, claim)
    if (OPEN_STATES.includes(claim.state)) open.add(id)
    else open.delete(id)
    if (claim.answer) answered.push({ id, until: claim.updatedAt + ANSWER_KEPT_MS })
    letGoOfAnswers()
  }

  const letGoOfAnswers = (): void => {
    const time = now()
    let stale = 0
    for (; (answered[stale]?.until ?? Number.POSITIVE_INFINITY) <= time; stale++) {
      const id = answered[stale]?.id ?? ''
      const claim = claims.get(id)
      if (claim) claims.set(id, withoutStaleAnswer(claim, time))
    }
    if (stale > 0) answered.splice(0, stale)
  }

  const keep = async (claim: Claim): Promise<Claim> => {
    await persist(claim)
    return claim
  }

  const shown = (claim: Claim): Claim => withoutStaleAnswer(claim, now())

  return {
    restore,
    claim: (wanted) =>
      queue.run(claimId(wanted), async () => {
        const present = claims.get(claimId(wanted))
        if (present && !mayClaim(present)) return { won: false, claim: shown(present) }
        return { won: true, claim: await keep(newClaim(wanted)) }
      }),
    advance: (key, to, change) =>
      queue.run(claimId(key), () => keep(advancedClaim(claims.get(claimId(key)), to, change))),
    async get(key) {
      const claim = claims.get(claimId(key))
      return claim && shown(claim)
    },
    async unsettled() {
      return [...open].flatMap((id) => claims.get(id) ?? [])
    },
  }
}
