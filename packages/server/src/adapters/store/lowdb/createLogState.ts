import type { Fact } from '../../../domain/facts/facts.ts'
import { claimId } from '../claimRules.ts'
import type { ClaimBook } from '../createClaimBook.ts'
import type { FactIndex } from '../createFactIndex.ts'
import type { Documents } from './createDocuments.ts'
import { type Fold, type LogLine, type LogRecord, recordOf } from './logLine.ts'
import type { LoggedCall } from './readCalls.ts'

/** Position of a call in the log, and its size. */
export type Place = { readonly seq: number; readonly segment: number; readonly bytes: number }

/** The records of the log in memory, and which parts of the log are obsolete. */
export type LogState = {
  /** The newest fold of each host, with the sequence number of its call. */
  readonly folds: Map<string, Fold & { readonly seq: number }>
  /** Unix time in ms of the oldest unfolded observation in a segment. */
  oldestObservationAt(segment: number): number | undefined
  /** Sequence numbers of the calls in a segment that hold a current document or claim. */
  liveSeqs(segment: number): Set<number>
  /** Bytes of a segment that hold replaced documents and claims. */
  deadBytes(segment: number): number
  /** Notes that a segment was cleaned, and the time of the oldest observation left in it. */
  cleaned(segment: number, oldestObservationAt: number | undefined): void
  /** Applies a call that is on disk. */
  apply(records: readonly LogRecord[], place: Place): void
  /** Applies a call that was read from the log at start. */
  restore(call: LoggedCall, segment: number): void
}

/** Parts of the store that the state fills. */
export type LogStateDeps = {
  readonly facts: FactIndex
  readonly claims: ClaimBook
  readonly documents: Documents
}

/** Creates the state of an empty log. */
export function createLogState({ facts, claims, documents }: LogStateDeps): LogState {
  const places = new Map<string, Place>()
  const deadBytes = new Map<number, number>()
  const folds = new Map<string, Fold & { seq: number }>()
  const oldest = new Map<number, number>()
  const loaded = new Map<number, string>()
  for (const { seq, document } of documents.all()) loaded.set(seq, document.host)

  const markDead = ({ segment, bytes }: Place): void => {
    deadBytes.set(segment, (deadBytes.get(segment) ?? 0) + bytes)
  }

  /** Notes the position of a record; the previous one of the same key is dead now. */
  const markLive = (key: string, place: Place): void => {
    const previous = places.get(key)
    if (previous) markDead(previous)
    places.set(key, place)
  }

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
        markLive(`claim ${claimId(record.data)}`, place)
        break
      case 'host':
        documents.put({ seq: place.seq, document: record.data })
        markLive(`host ${record.data.host}`, place)
        break
      case 'daily':
        facts.addDaily(record.data)
        break
      case 'fold':
        facts.dropUnfolded(record.data.host, record.data.before)
        folds.set(record.data.host, { ...record.data, seq: place.seq })
    }
  }

  /** Notes the position of a document that was loaded from its file. */
  const skipLoaded = (place: Place): void => {
    const host = loaded.get(place.seq)
    if (host === undefined) markDead(place)
    else markLive(`host ${host}`, place)
  }

  return {
    folds,
    oldestObservationAt: (segment) => oldest.get(segment),
    liveSeqs(segment) {
      const seqs = new Set<number>()
      for (const place of places.values()) if (place.segment === segment) seqs.add(place.seq)
      return seqs
    },
    deadBytes: (segment) => deadBytes.get(segment) ?? 0,
    cleaned(segment, oldestObservationAt) {
      deadBytes.delete(segment)
      if (oldestObservationAt === undefined) oldest.delete(segment)
      else oldest.set(segment, oldestObservationAt)
    },
    apply(records, place) {
      const inFold = records[0]?.type === 'fold'
      for (const record of records) applyRecord(record, place, inFold)
    },
    restore({ seq, lines }, segment) {
      const inFold = lines[0]?.type === 'fold'
      for (const line of lines) {
        const place = { seq, segment, bytes: bytesOf(line) }
        if (line.type === 'host' && seq <= documents.loadedSeq) skipLoaded(place)
        else applyRecord(recordOf(line), place, inFold)
      }
    },
  }
}

/** Estimates the size of a line on disk; the part before its data has nearly constant length. */
function bytesOf(line: LogLine): number {
  return line.json.length + 80
}
