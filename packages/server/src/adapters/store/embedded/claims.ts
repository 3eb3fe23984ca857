import type {
  Claim,
  ClaimKey,
  ClaimState,
  ClaimStore,
  OpenClaim,
  StoredAnswer,
} from '../../../ports/claims.ts'
import {
  ANSWER_KEPT_MS,
  advancedClaim,
  claimId,
  isUnsettled,
  newClaim,
  withoutStaleAnswer,
} from '../claimRules.ts'
import type { Transaction, Writer } from './createWriter.ts'
import { between, keyOf, openText, text, time, within } from './keys.ts'
import { type Committed, collect, fromBytes, NOTHING, type Source, toBytes } from './source.ts'

const OPEN = keyOf('u')
const ANSWERED = keyOf('z')
/** Stale answers that one call drops at most. */
const MAX_DROPPED = 16

const claimKey = (id: string) => keyOf('C', text(id))
const answerKey = (id: string) => keyOf('A', text(id))
const openKey = (id: string) => OPEN + openText(id)
const answeredKey = ({ updatedAt }: Claim, id: string) => ANSWERED + time(updatedAt) + openText(id)

/** Claims of the embedded store, and a way to pass over all of them. */
export type EmbeddedClaims = ClaimStore & {
  /** All claims in their present state. */
  all(): AsyncIterable<Claim>
}

/** Creates the claims of the embedded store. The writer takes calls one after the other, so exactly one of several wins. */
export function createClaims(source: Committed, writer: Writer, now: () => number): EmbeddedClaims {
  const put = (work: (tx: Transaction) => Promise<{ won: boolean; claim: Claim }>) =>
    writer.run(async (tx) => {
      const outcome = await work(tx)
      await dropStaleAnswers(tx, now())
      return outcome
    })
  return {
    claim: (wanted) =>
      put(async (tx) => {
        const present = await readClaim(tx, wanted)
        if (present && present.state !== 'released')
          return { won: false, claim: withoutStaleAnswer(present, now()) }
        return { won: true, claim: replaceClaim(tx, present, newClaim(wanted)) }
      }),
    async advance(key, to, change) {
      const { claim } = await put(async (tx) => {
        const present = await readClaim(tx, key)
        return { won: true, claim: replaceClaim(tx, present, advancedClaim(present, to, change)) }
      })
      return claim
    },
    async get(key) {
      const claim = await readClaim(source, key)
      return claim && withoutStaleAnswer(claim, now())
    },
    async unsettled() {
      const keys = await collect(source, within(OPEN), (_, key) => keyOf('C', key.slice(OPEN.length), '\0'))
      const claims = await source.getMany(keys)
      return claims.flatMap((bytes) => (bytes ? [fromBytes<OpenClaim>(bytes)] : []))
    },
    async countUnsettled() {
      const counts: Partial<Record<ClaimState, number>> = {}
      for (const state of await collect(source, within(OPEN), (value) => fromBytes<ClaimState>(value)))
        counts[state] = (counts[state] ?? 0) + 1
      return counts
    },
    async *all() {
      for await (const [, value] of source.list(within(keyOf('C')))) {
        const claim = await readClaim(source, fromBytes<OpenClaim>(value))
        if (claim) yield withoutStaleAnswer(claim, now())
      }
    },
  }
}

async function readClaim(source: Source, key: ClaimKey): Promise<Claim | undefined> {
  const id = claimId(key)
  const [claim, answer] = await source.getMany([claimKey(id), answerKey(id)])
  return claim && { ...fromBytes<OpenClaim>(claim), answer: answer ? fromBytes<StoredAnswer>(answer) : null }
}

function replaceClaim(tx: Transaction, before: Claim | undefined, claim: Claim): Claim {
  const id = claimId(claim)
  const { answer, ...open } = claim
  tx.put(claimKey(id), toBytes(open))
  if (isUnsettled(claim)) tx.put(openKey(id), toBytes(claim.state))
  else tx.delete(openKey(id))
  if (before?.answer) tx.delete(answeredKey(before, id))
  if (answer) {
    tx.put(answerKey(id), toBytes(answer))
    tx.put(answeredKey(claim, id), NOTHING)
  } else {
    tx.delete(answerKey(id))
  }
  return claim
}

async function dropStaleAnswers(tx: Transaction, now: number): Promise<void> {
  const stale = between(ANSWERED, 0, now - ANSWER_KEPT_MS)
  const keys = await collect(tx, stale, (_, key) => key, { limit: MAX_DROPPED })
  for (const key of keys) {
    tx.delete(key)
    tx.delete(keyOf('A', key.slice(ANSWERED.length + time(0).length), '\0'))
  }
}
