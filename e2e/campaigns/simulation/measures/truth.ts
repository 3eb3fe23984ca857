import { groupBy } from '@touchstone402/server/testing'
import type { Host } from '../world/types.ts'
import type { Sample, SamplesOf } from './sample.ts'

/** The verdicts beside the truth that only the simulation knows, by endpoint and day. */
export type Truth = {
  readonly endpointDays: number
  /** Share of the endpoint-days with a verdict other than `unknown`, percent. */
  readonly coveragePct: number
  /** Share of the days under `avoid` on which the seller kept its word until the next noon, percent. */
  readonly falseAvoidPct: number
  /** Share of the days under `safe` on which it did not, percent. */
  readonly falseSafePct: number
  /** Brier skill of the score bands against the base rate, both of the days before. Null without a forecast. */
  readonly brierSkill: number | null
}

/** A verdict at a noon, and whether the seller kept its word until the next. */
type Noon = {
  readonly day: number
  readonly verdict: Sample['verdict']
  readonly band: string
  readonly isGood: boolean
}

/** Compares the verdict of each endpoint at each noon with the next 24 hours. */
export function measureTruth(hosts: readonly Host[], samplesOf: SamplesOf, days: number): Truth {
  const noons = hosts.flatMap((host) => listNoons(host, samplesOf(host), days))
  const judged = noons.filter(({ verdict }) => verdict !== 'unknown')
  const shareOf = (list: readonly Noon[], isGood: boolean) =>
    sharePct(list.filter((noon) => noon.isGood === isGood).length, list.length)
  return {
    endpointDays: noons.length,
    coveragePct: sharePct(judged.length, noons.length),
    falseAvoidPct: shareOf(
      noons.filter(({ verdict }) => verdict === 'avoid'),
      true,
    ),
    falseSafePct: shareOf(
      noons.filter(({ verdict }) => verdict === 'safe'),
      false,
    ),
    brierSkill: measureSkill(judged, days),
  }
}

function listNoons(host: Host, samples: readonly Sample[], days: number): Noon[] {
  const endpoints = groupBy(samples, ({ endpoint }) => endpoint)
  return [...endpoints].flatMap(([endpoint, own]) =>
    Array.from({ length: Math.max(0, days - 1) }, (_, index): Noon => {
      const day = index + 0.5
      const standing = own.findLast((sample) => sample.day <= day)
      const isStanding = standing !== undefined && standing.expiresOnDay > day
      const verdict = isStanding ? standing.verdict : 'unknown'
      const band = isStanding ? `${verdict} ${bandOf(standing.score)}` : 'unknown'
      return { day, verdict, band, isGood: keepsItsWord(host, endpoint, day) }
    }),
  )
}

const bandOf = (score: number | null) => (score === null ? 'none' : Math.floor(score / 10))

/** Whether no fault of an endpoint is at work, nor its host down, within 24 hours of a day. */
function keepsItsWord({ faults, downtime = [] }: Host, endpoint: string, day: number): boolean {
  const isWithin = ({ fromDay, toDay }: { fromDay: number; toDay: number }) =>
    fromDay < day + 1 && toDay > day
  const isOf = ({ path }: { path?: string }) => path === undefined || endpoint.endsWith(path)
  return !faults.some((fault) => isWithin(fault) && isOf(fault)) && !downtime.some(isWithin)
}

/** Returns how much closer the forecasts of the bands came than the base rate: 1 is perfect, 0 no better. */
function measureSkill(noons: readonly Noon[], days: number): number | null {
  let [ofBands, ofBase] = [0, 0]
  for (let day = 1.5; day < days; day++) {
    const before = noons.filter((noon) => noon.day < day)
    const base = goodShare(before)
    for (const [band, today] of groupBy(
      noons.filter((noon) => noon.day === day),
      (noon) => noon.band,
    )) {
      const known = before.filter((noon) => noon.band === band)
      const forecast = known.length === 0 ? base : goodShare(known)
      for (const { isGood } of today) {
        ofBands += (forecast - Number(isGood)) ** 2
        ofBase += (base - Number(isGood)) ** 2
      }
    }
  }
  return ofBase === 0 ? null : Math.round(1000 * (1 - ofBands / ofBase)) / 1000
}

const goodShare = (noons: readonly Noon[]) =>
  noons.length === 0 ? 0.5 : noons.filter(({ isGood }) => isGood).length / noons.length

const sharePct = (part: number, whole: number) =>
  whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100
