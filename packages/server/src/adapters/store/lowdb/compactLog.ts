import { readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { foldDays } from '../../../domain/facts/dailyMeasurements.ts'
import type { Fact } from '../../../domain/facts/facts.ts'
import { keepObservations } from '../../../domain/facts/keepObservations.ts'
import type { Claim } from '../../../ports/claims.ts'
import { withoutStaleAnswer } from '../claimRules.ts'
import type { FactIndex } from '../createFactIndex.ts'
import type { LogState } from './createLogState.ts'
import { replaceFile, syncFolder } from './durableFile.ts'
import { encodeLines, type LogLine, type LogRecord } from './logLine.ts'
import { walkCalls } from './readCalls.ts'
import { listSegments, type SegmentFile } from './segmentFiles.ts'

/** What one round of compaction did. */
export type Compaction = {
  /** Hosts whose old observations were folded. */
  readonly foldedHosts: number
  /** Segments that were written anew or removed. */
  readonly cleanedSegments: number
  /** Bytes that the log became smaller by, apart from what the folds wrote. */
  readonly freedBytes: number
}

/** What compaction works on. */
export type CompactionDeps = {
  readonly directory: string
  readonly facts: FactIndex
  readonly state: LogState
  /** Writes a call and takes it in. */
  write(records: readonly LogRecord[]): Promise<void>
  /** The segment that is still being written. */
  currentSegment(): number
  /** Observations from before this moment are folded; a start of a UTC day, in milliseconds. */
  readonly foldBefore: number
  /** Real time, milliseconds since 1970. */
  readonly now: number
}

/** A segment is written anew when this share of it is dead. */
const DEAD_SHARE = 0.4
/** How long compaction may hold the event loop at once, in milliseconds. */
const TURN_MS = 4

/**
 * Folds old observations into days, and removes from the log what nothing needs any more.
 *
 * A fold is one call of the log, so a crash leaves it whole or undone; removing dead lines changes nothing that reading
 * the log would show, so it may stop anywhere.
 */
export async function compactLog(deps: CompactionDeps): Promise<Compaction> {
  const foldedHosts = await foldHosts(deps)
  let cleanedSegments = 0
  let freedBytes = 0
  for (const segment of await listSegments(deps.directory)) {
    if (segment.number >= deps.currentSegment()) break
    const { size } = await stat(segment.path)
    const oldest = deps.state.oldestObservationAt(segment.number)
    const isFolded = oldest !== undefined && oldest < deps.foldBefore
    if (!isFolded && deps.state.liveness.deadBytes(segment.number) < size * DEAD_SHARE) continue
    freedBytes += size - (await cleanSegment(segment, deps))
    cleanedSegments += 1
  }
  return { foldedHosts, cleanedSegments, freedBytes }
}

async function foldHosts({ facts, write, foldBefore }: CompactionDeps): Promise<number> {
  let folded = 0
  for (const host of [...facts.hosts()]) {
    const old = facts.unfolded(host, foldBefore)
    if (old.length === 0) continue
    const cited = new Set(facts.hostFacts(host).incidents.flatMap((incident) => incident.observations))
    await write([
      { type: 'fold', data: { host, before: foldBefore } },
      ...foldDays(old).map((data) => ({ type: 'daily', data }) as const),
      ...[...keepObservations(old, cited)].map((data) => ({ type: 'fact', data }) as const),
    ])
    folded += 1
  }
  return folded
}

/** Writes a segment anew without its dead lines; returns its new size. */
async function cleanSegment(segment: SegmentFile, { state, now }: CompactionDeps): Promise<number> {
  const content = await readFile(segment.path)
  const liveSeqs = state.liveness.liveSeqs(segment.number)
  const kept: Buffer[] = []
  let oldest: number | undefined
  let turnEndsAt = performance.now() + TURN_MS

  const keepLine = (line: LogLine, inFold: boolean): Pick<LogLine, 'type' | 'json'> | undefined => {
    if (line.type === 'host') return liveSeqs.has(line.seq) ? line : undefined
    if (line.type === 'claim') return liveSeqs.has(line.seq) ? slimClaim(line, now) : undefined
    if (line.type !== 'fact' || inFold) return line
    const fact: Fact = JSON.parse(line.json)
    if (fact.kind !== 'observation') return line
    const fold = state.folds.get(fact.host)
    if (fold && line.seq < fold.seq && fact.at < fold.before) return undefined
    oldest = Math.min(fact.at, oldest ?? fact.at)
    return line
  }

  for (const { seq, lines } of walkCalls(content)) {
    const inFold = lines[0]?.type === 'fold'
    const live = lines.flatMap((line) => keepLine(line, inFold) ?? [])
    if (live.length > 0) kept.push(Buffer.from(encodeLines(seq, live)))
    if (performance.now() >= turnEndsAt) {
      await nextTurn()
      turnEndsAt = performance.now() + TURN_MS
    }
  }
  const bytes = Buffer.concat(kept)
  if (bytes.length > 0) await replaceFile(segment.path, bytes)
  else await removeFile(segment.path)
  state.liveness.cleaned(segment.number)
  state.setOldestObservationAt(segment.number, oldest)
  return bytes.length
}

function slimClaim(line: LogLine, now: number): Pick<LogLine, 'type' | 'json'> {
  const claim: Claim = JSON.parse(line.json)
  const slim = withoutStaleAnswer(claim, now)
  return slim === claim ? line : { type: 'claim', json: JSON.stringify(slim) }
}

async function removeFile(path: string): Promise<void> {
  await rm(path)
  await syncFolder(dirname(path))
}
