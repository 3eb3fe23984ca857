import type { Claim, ClaimState, ClaimStore } from '../../ports/claims.ts'
import {
  ANSWER_KEPT_MS,
  advancedClaim,
  claimId,
  isUnsettled,
  newClaim,
  withoutStaleAnswer,
} from './claimRules.ts'
import { createKeyedQueue } from './createKeyedQueue.ts'

/** Dependencies of a claim book. */
export type ClaimBookDeps = {
  /** Makes a claim's new state durable and passes it to `restore`; rejects if it cannot. */
  persist(claim: Claim): Promise<void>
  /** Unix time in ms, for the expiry of answers. */
  now(): number
}

/** The claims of one process, in memory and written through. */
export type ClaimBook = ClaimStore & {
  /** Adds a claim that is durable. */
  restore(claim: Claim): void
}

/**
 * Creates an empty book.
 *
 * Serialises work per authorization. A claim becomes visible only after it is durable, so exactly one of several
 * concurrent attempts wins and the others see a result that survives a crash.
 */
export function createClaimBook({ persist, now }: ClaimBookDeps): ClaimBook {
  const claims = new Map<string, Claim>()
  const open = new Set<string>()
  const queue = createKeyedQueue()
  /** Claims with an answer, oldest first. */
  const answered: { id: string; until: number }[] = []

  const restore = (claim: Claim): void => {
    const id = claimId(claim)
    claims.set(id, claim)
    if (isUnsettled(claim)) open.add(id)
    else open.delete(id)
    if (claim.answer) answered.push({ id, until: claim.updatedAt + ANSWER_KEPT_MS })
    dropStaleAnswers()
  }

  const dropStaleAnswers = (): void => {
    const time = now()
    const fresh = answered.findIndex(({ until }) => until > time)
    for (const { id } of answered.splice(0, fresh < 0 ? answered.length : fresh)) {
      const claim = claims.get(id)
      if (claim) claims.set(id, withoutStaleAnswer(claim, time))
    }
  }

  const keep = async (claim: Claim): Promise<Claim> => {
    await persist(claim)
    return claim
  }

  const openClaims = (): Claim[] => [...open].flatMap((id) => claims.get(id) ?? [])

  const shown = (claim: Claim): Claim => withoutStaleAnswer(claim, now())

  return {
    restore,
    claim: (wanted) =>
      queue.run(claimId(wanted), async () => {
        const present = claims.get(claimId(wanted))
        if (present && present.state !== 'released') return { won: false, claim: shown(present) }
        return { won: true, claim: await keep(newClaim(wanted)) }
      }),
    advance: (key, to, change) =>
      queue.run(claimId(key), () => keep(advancedClaim(claims.get(claimId(key)), to, change))),
    async get(key) {
      const claim = claims.get(claimId(key))
      return claim && shown(claim)
    },
    async *all() {
      for (const claim of claims.values()) yield shown(claim)
    },
    unsettled: async () => openClaims().map(({ answer: _, ...claim }) => claim),
    async countUnsettled() {
      const counts: Partial<Record<ClaimState, number>> = {}
      for (const { state } of openClaims()) counts[state] = (counts[state] ?? 0) + 1
      return counts
    },
  }
}
