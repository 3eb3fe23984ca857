import { allHosts } from './hosts.ts'
import { confusionMatrix, meetFaults, worstVerdict } from './measure.ts'
import { simulate } from './simulate.ts'

const LIMIT_HOURS = 24

/**
 * Crawls 200 scripted hosts, 100 of them honest, for 30 simulated days, and compares the verdicts with the scripts.
 *
 * The bars: no honest host is ever `avoid`; every fault is detected within 24 h of its first visible effect, and its
 * host is not `safe` again while the fault lasts.
 */
export async function run({
  short,
  seed = 402,
}: {
  short: boolean
  seed?: number
}): Promise<{ ok: boolean; figures: Record<string, unknown> }> {
  const days = short ? 8 : 30
  const hosts = await allHosts(days)
  const samples = await simulate(hosts, { days, seed })
  const samplesOf = ({ host }: { host: string }) => samples.get(host) ?? []
  const honest = hosts.filter(({ isHonest }) => isHonest)
  const worst = honest.map((host) => worstVerdict(samplesOf(host)))
  const met = hosts.flatMap((host) => meetFaults(host, samplesOf(host), days))
  const missed = met.filter(
    ({ caughtAfterHours }) => caughtAfterHours === null || caughtAfterHours > LIMIT_HOURS,
  )
  const safeAgain = met.filter((one) => one.safeAgain)
  const honestAvoid = honest.filter((_, index) => worst[index] === 'avoid')
  const hours = met.flatMap(({ caughtAfterHours }) => (caughtAfterHours === null ? [] : [caughtAfterHours]))
  const namesOf = (list: readonly { host: { host: string } }[]) => [
    ...new Set(list.map(({ host }) => host.host)),
  ]
  const figures = {
    hosts: hosts.length,
    honest: honest.length,
    honestAvoid: honestAvoid.length,
    bad: hosts.length - honest.length,
    honestCaution: worst.filter((verdict) => verdict === 'caution').length,
    badMissedAfter24h: namesOf(missed).length,
    badEverSafeAfterCatch: namesOf(safeAgain).length,
    matrix: confusionMatrix(hosts, samplesOf),
    days,
    looks: [...samples.values()].reduce((sum, list) => sum + list.length, 0),
    slowestCatchHours: Math.round(10 * Math.max(...hours)) / 10,
    exceptions: {
      honestAvoid: honestAvoid.map(({ host }) => host),
      missed: namesOf(missed),
      safeAgain: namesOf(safeAgain),
      otherFlag: namesOf(met.filter(({ flagged }) => !flagged)),
    },
  }
  const ok = honestAvoid.length === 0 && missed.length === 0 && safeAgain.length === 0
  return { ok, figures }
}
