import type { Auditor } from '../audit/createAuditor.ts'
import type { Context } from '../context.ts'
import type { EndpointRow } from '../facts/hostDocument.ts'
import { SCORE_VERSION } from '../judge/spec.ts'
import { createBreathe } from '../lib/createBreathe.ts'
import { logFailure } from '../lib/logFailure.ts'
import { currentVerdict } from '../publish/verdict.ts'
import { listSummaries } from '../store/listHosts.ts'

/** Verdicts that were judged again. */
export type Rejudged = {
  readonly judged: number
  /** Number of those that differ from before. */
  readonly changed: number
  /** Score versions that had judged them, oldest first. */
  readonly versions: readonly string[]
}

/**
 * Judges again what another version of the score judged, from the same probes: otherwise its verdicts would change one by
 * one, with the next probe of each. The log gets a decision of each, which names its version. Ends early if the signal fires.
 */
export async function rejudgeEarlier(
  { clock, log, store }: Pick<Context, 'clock' | 'log' | 'store'>,
  auditor: Pick<Auditor, 'judge'>,
  signal: AbortSignal,
): Promise<Rejudged> {
  const versions = new Set<string>()
  let [judged, changed] = [0, 0]
  const breathe = createBreathe()
  const onError = (error: unknown) => logFailure(log, 'earlier verdicts', error)

  const judgeAgain = async (before: EndpointRow) => {
    const now = clock.now()
    const after = await auditor.judge(before.endpoint)
    judged++
    versions.add(before.scoreVersion)
    if (currentVerdict(before, now).verdict !== currentVerdict(after, now).verdict) changed++
  }
  for await (const { endpoints } of listSummaries(store, { order: 'names' }, clock.now())) {
    for (const endpoint of endpoints) {
      if (signal.aborted) break
      await breathe()
      if (endpoint.scoreVersion !== SCORE_VERSION) await judgeAgain(endpoint).catch(onError)
    }
  }
  return { judged, changed, versions: [...versions].sort() }
}

/** Says in a sentence what was judged again; null if nothing was. */
export function describeRejudged({ judged, changed, versions }: Rejudged): string | null {
  if (judged === 0) return null
  return `${judged} verdicts of score ${versions.join(', ')} were judged again by ${SCORE_VERSION}: ${changed} changed`
}
