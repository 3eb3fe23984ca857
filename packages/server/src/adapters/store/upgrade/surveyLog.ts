import type { Observation } from '../../../domain/facts/facts.ts'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { claimId } from '../claimRules.ts'
import { type Fold, type OldLine, type OldRecord, recordOf } from './oldLine.ts'
import { type OldCall, readSegment, type Segment } from './readSegment.ts'

/** Bytes of a file of the old folder that are not copied, since they cannot be read. */
export type Unreadable = {
  readonly path: string
  readonly bytes: number
  /** `torn`: a call at the end that was never acknowledged. `damaged`: anything else. */
  readonly kind: 'torn' | 'damaged'
}

/** Survey of the whole log, made before its records are copied. Its size grows with hosts and claims, not looks. */
export type LogSurvey = {
  /** Sequence number of the call that holds the last state of a claim, by its id. */
  readonly claims: ReadonlyMap<string, number>
  /** Sequence number of the call that holds the last document of a host. */
  readonly hosts: ReadonlyMap<string, number>
  /** Returns whether a fold or a later fold removed an observation. */
  isFolded(observation: Observation, call: OldCall): boolean
  readonly unreadable: readonly Unreadable[]
}

/**
 * Reads the log once to learn which of its records are current.
 * @throws StoreOpenError if a segment cannot be read, or a newer version wrote it
 */
export async function surveyLog(
  segments: readonly Segment[],
  onRead: (bytes: number) => void,
): Promise<LogSurvey> {
  const claims = new Map<string, number>()
  const hosts = new Map<string, number>()
  const folds = new Map<string, Fold & { readonly seq: number }>()
  const unreadable: Unreadable[] = []

  const note = (record: OldRecord, seq: number): void => {
    if (record.type === 'claim') claims.set(claimId(record.data), seq)
    if (record.type === 'host') hosts.set(record.data.host, seq)
    if (record.type === 'fold') folds.set(record.data.host, { ...record.data, seq })
  }

  for (const [index, { path }] of segments.entries()) {
    const left = await eachCall(path, onRead, ({ seq, lines }) => {
      for (const line of lines) if (isSurveyed(line)) note(recordOf(line), seq)
    })
    if (left.newer) throw new StoreOpenError(`A newer version of this program wrote ${path}`)
    const isLast = index === segments.length - 1
    const torn = isLast ? left.tailBytes : 0
    const damaged = left.damagedBytes + left.tailBytes - torn
    if (damaged > 0) unreadable.push({ path, bytes: damaged, kind: 'damaged' })
    if (torn > 0) unreadable.push({ path, bytes: torn, kind: 'torn' })
  }

  return {
    claims,
    hosts,
    unreadable,
    isFolded({ host, at }, { seq, lines }) {
      const fold = folds.get(host)
      // A fold writes the observations that are kept for ever again.
      return lines[0]?.type !== 'fold' && fold !== undefined && seq < fold.seq && at < fold.before
    },
  }
}

/** Passes on every call of a segment. */
async function eachCall(path: string, onRead: (bytes: number) => void, work: (call: OldCall) => void) {
  const chunks = readSegment(path)
  for (;;) {
    const step = await chunks.next()
    if (step.done) return step.value
    for (const call of step.value.calls) work(call)
    onRead(step.value.bytes)
  }
}

const isSurveyed = ({ type }: OldLine) => type === 'claim' || type === 'host' || type === 'fold'
