import type { Fact } from '../../../domain/facts/facts.ts'
import { claimId } from '../claimRules.ts'
import type { ClaimBook } from '../createClaimBook.ts'
import type { FactIndex } from '../createFactIndex.ts'
import type { Documents } from './createDocuments.ts'
import { createLiveness, type Liveness, type Place } from './liveness.ts'
import { type Fold, type LogLine, type LogRecord, recordOf } from './logLine.ts'
import type { LoggedCall } from './readCalls.ts'

/** What the log's records add up to: the memory of the store, and what is dead in the log. */
export type LogState = {
  readonly liveness: Liveness
  /** The newest fold of each host, and the number of its call. */
  readonly folds: Map<string, Fold & { readonly seq: number }>
  /** Time of the oldest observation in a segment that is not folded; undefined without any. */
  oldestObservationAt(segment: number): number | undefined
  /** Forgets that time: the segment was cleaned and holds this one as its oldest now. */
  setOldestObservationAt(segment: number, at: number | undefined): void
  /** Takes in a call that is on disk. */
  apply(records: readonly LogRecord[], place: Place): void
  /** Takes in a call that was read from the log at start. */
  restore(call: LoggedCall, segment: number): void
}

/** What the state is built in. */
export type LogStateDeps = {
  readonly facts: FactIndex
  readonly claims: ClaimBook
  readonly documents: Documents
}

/** Makes the state of an empty log. */
export function createLogState({ facts, claims, documents }: LogStateDeps): LogState {
  const liveness = createLiveness()
  const folds = new Map<string, Fold & { seq: number }>()
  const oldest = new Map<number, number>()
  const loaded = new Map<number, string>()
  for (const { seq, document } of documents.all()) loaded.set(seq, document.host)

  const applyFact = (fact: Fact, { segment }: Place, inFold: boolean): void => {
    if (fact.kind === 'observation' && inFold) {
      facts.addKept(fact)
      return
    }
    facts.add(fact)
    if (fact.kind === 'observation') oldest.set(segment, Math.min(fact.at, oldest.get(segment) ?? fact.at))
  }

  const applyRecord = (record: LogRecord, place: Place, inFold: boolean): void => {
    switch (record.type) {
      case 'fact':
        applyFact(record.data, place, inFold)
        break
      case 'claim':
        claims.restore(record.data)
        liveness.placed(`claim ${claimId(record.data)}`, place)
        break
      case 'host':
        documents.put({ seq: place.seq, document: record.data })
        liveness.placed(`host ${record.data.host}`, place)
        break
      case 'daily':
        facts.addDaily(record.data)
        break
      case 'fold':
        facts.dropUnfolded(record.data.host, record.data.before)
        folds.set(record.data.host, { ...record.data, seq: place.seq })
    }
  }

  /** A document that is loaded already: only where its line lies is of interest. */
  const passOver = (place: Place): void => {
    const host = loaded.get(place.seq)
    if (host === undefined) liveness.dead(place)
    else liveness.placed(`host ${host}`, place)
  }

  return {
    liveness,
    folds,
    oldestObservationAt: (segment) => oldest.get(segment),
    setOldestObservationAt(segment, at) {
      if (at === undefined) oldest.delete(segment)
      else oldest.set(segment, at)
    },
    apply(records, place) {
      const inFold = records[0]?.type === 'fold'
      for (const record of records) applyRecord(record, place, inFold)
    },
    restore({ seq, lines }, segment) {
      const inFold = lines[0]?.type === 'fold'
      for (const line of lines) {
        const place = { seq, segment, bytes: bytesOf(line) }
        if (line.type === 'host' && seq <= documents.loadedSeq) passOver(place)
        else applyRecord(recordOf(line), place, inFold)
      }
    },
  }
}

/** About what a line takes on disk; what precedes its data is of nearly constant length. */
function bytesOf(line: LogLine): number {
  return line.json.length + 80
}
