import { readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Fact } from '../../../domain/facts/facts.ts'
import { keepObservations } from '../../../domain/facts/keepObservations.ts'
import { foldSettled } from '../../../domain/judge/refusals.ts'
import { replaceFile, syncFolder } from '../../../durable/durableFiles.ts'
import type { Claim } from '../../../ports/claims.ts'
import { withoutStaleAnswer } from '../claimRules.ts'
import type { FactIndex } from '../createFactIndex.ts'
import type { LogState } from './createLogState.ts'
import { encodeLines, type LogLine, type LogRecord } from './logLine.ts'
import { walkCalls } from './readCalls.ts'
import { listSegments, type SegmentFile } from './segmentFiles.ts'

/** Result of a compaction. */
export type Compaction = {
  /** Number of hosts with folded observations. */
  readonly foldedHosts: number
  /** Number of segments that were rewritten or removed. */
  readonly cleanedSegments: number
  /** Bytes removed from the log, not counting what the folds added. */
  readonly freedBytes: number
}

/** Dependencies of a compaction. */
export type CompactionDeps = {
  readonly directory: string
  readonly facts: FactIndex
  readonly state: LogState
  /** Writes a call and applies it. */
  write(records: readonly LogRecord[]): Promise<void>
  /** Number of the segment that is still being written. */
  currentSegment(): number
  /** Observations before this Unix time in ms are folded; the start of a UTC day. */
  readonly foldBefore: number
  /** Unix time in ms. */
  readonly now: number
}

/** Share of dead bytes from which a segment is rewritten. */
const DEAD_SHARE = 0.4
/** Longest time in ms that compaction may block the event loop. */
const TURN_MS = 4

/**
 * Folds old observations into days and removes obsolete records from the log.
 *
 * It may stop anywhere: a fold is one call, so a crash leaves it complete or undone, and removing obsolete lines does
 * not change what a replay shows.
 */
export async function compactLog(deps: CompactionDeps): Promise<Compaction> {
  const { directory, state, foldBefore } = deps
  const foldedHosts = await foldHosts(deps)
  let cleanedSegments = 0
  let freedBytes = 0
  for (const segment of await listSegments(directory)) {
    if (segment.number >= deps.currentSegment()) break
    const { size } = await stat(segment.path)
    const oldest = state.oldestObservationAt(segment.number)
    const isFolded = oldest !== undefined && oldest < foldBefore
    if (!isFolded && state.deadBytes(segment.number) < size * DEAD_SHARE) continue
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
    const { incidents, observations } = facts.hostFacts(host)
    const cited = new Set(incidents.flatMap((incident) => incident.observations))
    await write([
      { type: 'fold', data: { host, before: foldBefore } },
      ...foldSettled(observations, old).map((data) => ({ type: 'daily', data }) as const),
      ...[...keepObservations(old, cited)].map((data) => ({ type: 'fact', data }) as const),
    ])
    folded += 1
  }
  return folded
}

/** Rewrites a segment without its obsolete lines; returns its new size. */
async function cleanSegment(segment: SegmentFile, { state, now }: CompactionDeps): Promise<number> {
  const content = await readFile(segment.path)
  const liveSeqs = state.liveSeqs(segment.number)
  const kept: Buffer[] = []
  let oldest: number | undefined
  let turnEndsAt = performance.now() + TURN_MS

  const keepLine = (line: LogLine, inFold: boolean): Pick<LogLine, 'type' | 'json'> | undefined => {
    if (line.type === 'host') return liveSeqs.has(line.seq) ? line : undefined
    if (line.type === 'claim') return liveSeqs.has(line.seq) ? dropStaleAnswer(line, now) : undefined
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
  else {
    await rm(segment.path)
    await syncFolder(dirname(segment.path))
  }
  state.cleaned(segment.number, oldest)
  return bytes.length
}

function dropStaleAnswer(line: LogLine, now: number): Pick<LogLine, 'type' | 'json'> {
  const claim: Claim = JSON.parse(line.json)
  const slim = withoutStaleAnswer(claim, now)
  return slim === claim ? line : { type: 'claim', json: JSON.stringify(slim) }
}
