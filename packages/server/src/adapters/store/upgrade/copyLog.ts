import type { Fact } from '../../../domain/facts/facts.ts'
import type { Claim } from '../../../ports/claims.ts'
import type { Store } from '../../../ports/store.ts'
import { claimId } from '../claimRules.ts'
import type { Spool } from './createSpool.ts'
import { recordOf } from './oldLine.ts'
import { type OldCall, readSegment, type Segment } from './readSegment.ts'
import { restoreClaim } from './restoreClaim.ts'
import type { LogSurvey } from './surveyLog.ts'

/** Numbers of copied records. */
export type CopiedRecords = {
  /** By kind. */
  readonly facts: Readonly<Partial<Record<Fact['kind'], number>>>
  readonly claims: number
  /** Observations that version 0.1 had folded into days. */
  readonly folded: number
}

/** Dependencies of `copyLog`. */
export type CopyLogDeps = {
  readonly segments: readonly Segment[]
  readonly survey: LogSurvey
  readonly store: Store
  /** Receives looks, the current documents, and days. */
  readonly spool: Spool
  onRead(bytes: number): void
}

/** Facts in one write. */
const BATCH = 500

/** Copies claims and all facts but looks into a store, and spools looks, the current documents, and days. */
export async function copyLog({
  segments,
  survey,
  store,
  spool,
  onRead,
}: CopyLogDeps): Promise<CopiedRecords> {
  const counts: Partial<Record<Fact['kind'], number>> = {}
  let facts: Fact[] = []
  let claims: Claim[] = []
  let claimCount = 0
  let folded = 0

  const flush = async (): Promise<void> => {
    if (facts.length > 0) await store.append(facts)
    // Only the last state of each claim is restored, so their order is of no importance.
    await Promise.all(claims.map((claim) => restoreClaim(store.claims, claim)))
    facts = []
    claims = []
  }

  const addFact = async (fact: Fact, call: OldCall): Promise<void> => {
    if (fact.kind === 'observation' && survey.isFolded(fact, call)) {
      folded += 1
      return
    }
    if (fact.kind === 'observation') await spool.add({ type: 'look', look: fact })
    else facts.push(fact)
    counts[fact.kind] = (counts[fact.kind] ?? 0) + 1
  }

  const addCall = async (call: OldCall): Promise<void> => {
    for (const line of call.lines) {
      const record = recordOf(line)
      if (record.type === 'fact') await addFact(record.data, call)
      if (record.type === 'daily') await spool.add({ type: 'day', day: record.data })
      if (record.type === 'host' && survey.hosts.get(record.data.host) === call.seq)
        await spool.add({ type: 'document', seq: call.seq, document: record.data })
      if (record.type === 'claim' && survey.claims.get(claimId(record.data)) === call.seq) {
        claims.push(record.data)
        claimCount += 1
      }
    }
    if (facts.length + claims.length >= BATCH) await flush()
  }

  for (const { path } of segments) {
    for await (const { calls, bytes } of readSegment(path)) {
      for (const call of calls) await addCall(call)
      onRead(bytes)
    }
  }
  await flush()
  return { facts: counts, claims: claimCount, folded }
}
