import {
  type AccuracySample,
  bandOf,
  groupBy,
  measureAccuracy,
  type Observation,
  observeOutcome,
} from '@touchstone402/server/testing'
import { START } from '../world/names.ts'
import type { Host } from '../world/types.ts'
import type { Sample, SamplesOf } from './sample.ts'

const DAY = 86_400_000

/** What the days after the verdicts showed, of one source. */
export type Accuracy = {
  readonly endpointDays: number
  /** Share of the endpoint-days with a verdict other than `unknown`, percent. */
  readonly coveragePct: number | null
  /** Share of the domains' verdicts that held until the next noon, percent. */
  readonly heldPct: number | null
  /** Share of the days under `safe` on which the verdict did not hold, percent. */
  readonly falseSafePct: number | null
  /** Share of the days under `avoid` on which the seller kept its word; for the service: was no longer `avoid` at the end. */
  readonly falseAvoidPct: number | null
  /** Brier skill of the score bands against the base rate, both of the days before. Null without a forecast. */
  readonly brierSkill: number | null
}

/** Reads the probes of an endpoint after a moment and until another. */
export type ReadProbes = (endpoint: string, from: number, to: number) => Promise<readonly Observation[]>

/** A noon of an endpoint. No verdict stands before its first probe, or after the last one expired. */
type Noon = {
  readonly host: Host
  readonly endpoint: string
  readonly day: number
  readonly standing: Sample | null
  /** Whether the verdict at the next noon is Avoid. */
  readonly avoidAfter: boolean
}

/** Compares the verdict of each endpoint at each noon with what its seller did in the next 24 hours, which only the simulation knows. */
export function measureTruth(hosts: readonly Host[], samplesOf: SamplesOf, days: number): Accuracy {
  const samples = listNoons(hosts, samplesOf, days).map((noon) =>
    toSample(noon, { live: keepsItsWord(noon), sameTerms: null }),
  )
  const isKept = ({ verdict, live }: AccuracySample) => verdict === 'avoid' && live === true
  return describe(samples, isKept)
}

/** Compares the same verdicts with what the service's probes saw in the next 24 hours, as the service publishes it. */
export function measureService(samples: readonly AccuracySample[]): Accuracy {
  return describe(samples, ({ verdict, avoidAfter }) => verdict === 'avoid' && !avoidAfter)
}

/** Samples the verdict of each endpoint at each noon with what the service's probes saw in the next 24 hours. */
export async function sampleService(
  hosts: readonly Host[],
  samplesOf: SamplesOf,
  days: number,
  readProbes: ReadProbes,
): Promise<readonly AccuracySample[]> {
  const samples: AccuracySample[] = []
  for (const noon of listNoons(hosts, samplesOf, days)) {
    const at = START + noon.day * DAY
    const probes = await readProbes(noon.endpoint, at + 1, at + DAY)
    samples.push(toSample(noon, observeOutcome(noon.standing?.terms ?? [], probes)))
  }
  return samples
}

function describe(samples: readonly AccuracySample[], isFalse: (avoid: AccuracySample) => boolean): Accuracy {
  const { coveragePct, heldPct, skill } = measureAccuracy(samples, 1)
  const safe = samples.filter(({ verdict, live }) => verdict === 'safe' && live !== null)
  const avoid = samples.filter(({ verdict }) => verdict === 'avoid')
  return {
    endpointDays: samples.length,
    coveragePct,
    heldPct,
    falseSafePct: sharePct(safe.filter(({ live, sameTerms }) => !live || sameTerms === false).length, safe),
    falseAvoidPct: sharePct(avoid.filter(isFalse).length, avoid),
    brierSkill: skill,
  }
}

function listNoons(hosts: readonly Host[], samplesOf: SamplesOf, days: number): Noon[] {
  return hosts.flatMap((host) =>
    [...groupBy(samplesOf(host), ({ endpoint }) => endpoint)].flatMap(([endpoint, own]) =>
      Array.from({ length: Math.max(0, days - 1) }, (_, index): Noon => {
        const day = index + 0.5
        const standing = standingAt(own, day)
        return { host, endpoint, day, standing, avoidAfter: standingAt(own, day + 1)?.verdict === 'avoid' }
      }),
    ),
  )
}

function standingAt(own: readonly Sample[], day: number): Sample | null {
  const last = own.findLast((sample) => sample.day <= day)
  return last !== undefined && last.expiresOnDay > day ? last : null
}

function toSample(
  { endpoint, day, standing, avoidAfter }: Noon,
  outcome: Pick<AccuracySample, 'live' | 'sameTerms'>,
): AccuracySample {
  const { verdict, score } = standing ?? { verdict: 'unknown', score: null }
  const band = score === null || verdict === 'unknown' ? null : bandOf(score)
  return { at: START + day * DAY, endpoint, verdict, band, ...outcome, delivered: null, avoidAfter }
}

/** Whether no fault of an endpoint is at work, nor its host down, within 24 hours of a noon. */
function keepsItsWord({ host: { faults, downtime = [] }, endpoint, day }: Noon): boolean {
  const isWithin = ({ fromDay, toDay }: { fromDay: number; toDay: number }) =>
    fromDay < day + 1 && toDay > day
  const isOf = ({ path }: { path?: string }) => path === undefined || endpoint.endsWith(path)
  return !faults.some((fault) => isWithin(fault) && isOf(fault)) && !downtime.some(isWithin)
}

const sharePct = (part: number, whole: readonly unknown[]) =>
  whole.length === 0 ? null : Math.round((10_000 * part) / whole.length) / 100
