import { meetFaults } from './measures/measure.ts'
import { quantile, round } from './measures/quantiles.ts'
import { samplesIn } from './measures/sample.ts'
import { type TheftHours, theftByKind } from './measures/theftByKind.ts'
import { bad, type Kind, times } from './parts.ts'
import { type Simulated, simulate } from './simulate.ts'
import { addsThenDrops } from './thieves/exits.ts'
import { honestForAShare } from './thieves/timing.ts'
import type { Host } from './world/types.ts'

/** Hosts that are honest for a share of the time, and the days in which most of them are caught. */
const SHARES = [
  { honestShare: 0.5, hosts: 20, days: 6 },
  { honestShare: 0.9, hosts: 20, days: 9 },
  { honestShare: 0.99, hosts: 12, days: 36 },
] as const
const SHORT_SHARES = [{ honestShare: 0.5, hosts: 6, days: 6 }] as const
/** By then the receivers are stable, and probes have the longest gaps, of three hours on average. */
const FROM_DAY = 4

/**
 * An offer that was added may replace the old one after 31 days together, not after 8. And 30 days make a domain one that
 * prices are compared with.
 */
const SLOW: readonly Kind[] = [
  addsThenDrops('adds-then-drops-8-days', 2, 8, { verdict: 'caution', flags: ['receiver_handed_over'] }),
  addsThenDrops('adds-then-drops-31-days', 2, 31, null),
  bad('overpriced-among-known', 1, ({ entry }) => ({
    from: 32,
    // Without a category a price is compared with everything that is listed, and is high above a dollar alone.
    category: 'uncategorized',
    change: { entries: [times(entry, 150)] },
    wrong: { verdict: 'caution', flags: ['price_high'] },
    theft: [],
  })),
]
const SLOW_DAYS = 36
/** An added offer to another receiver is not confirmed for a week. */
const ADDED_UNTIL_DAY = 10

/** Hours until hosts that are honest for a share of the time are not Safe. Null for later than the simulation. */
type UntilCaught = {
  readonly hosts: number
  readonly medianHours: number | null
  readonly p90Hours: number | null
  /** Hosts that were Safe to the end. */
  readonly uncaught: number
  /** Days that were simulated. */
  readonly days: number
}

/** What only a long simulation shows. */
export type LongRun = {
  /** By the share of the time in which they are honest. */
  readonly untilCaught: Readonly<Record<string, UntilCaught>>
  /** Hosts of {@link SLOW} with a wrong verdict. */
  readonly faults: readonly string[]
  /** Hours of theft by the hosts of {@link SLOW}: under terms that a guard pays, and under any Safe verdict. */
  readonly theftHours: TheftHours
  readonly safeHours: TheftHours
}

const makeAll = async (kind: Kind, count = kind.count): Promise<Host[]> => {
  const made = await Promise.all(Array.from({ length: count }, (_, index) => kind.make(index, FROM_DAY)))
  return made.flat()
}

/** Simulates hosts that are honest for a share of the time at moments of their choice, and hosts that change slowly. */
export async function measureLong({ short, seed }: { short: boolean; seed: number }): Promise<LongRun> {
  const untilCaught: Record<string, UntilCaught> = {}
  const faults: string[] = []
  const theftHours: Record<string, TheftHours[string]> = {}
  const safeHours: Record<string, TheftHours[string]> = {}
  for (const { honestShare, hosts: count, days } of short ? SHORT_SHARES : SHARES) {
    const hosts = await makeAll(honestForAShare(honestShare, count))
    const slow = days === SLOW_DAYS ? (await Promise.all(SLOW.map((kind) => makeAll(kind)))).flat() : []
    const simulated = await simulate([...hosts, ...slow], { days, seed })
    untilCaught[honestShare] = measureUntilCaught(hosts, simulated, days)
    faults.push(...findWrong(slow, simulated, days))
    Object.assign(
      theftHours,
      theftByKind(slow, simulated.theft, ({ payable }) => payable),
    )
    Object.assign(
      safeHours,
      theftByKind(slow, simulated.theft, ({ safe }) => safe),
    )
  }
  return { untilCaught, faults, theftHours, safeHours }
}

function measureUntilCaught(hosts: readonly Host[], { samples }: Simulated, days: number): UntilCaught {
  const hours = hosts.map((host) => {
    const caught = samplesIn(samples)(host).find(
      ({ day, verdict }) => day >= FROM_DAY && (verdict === 'caution' || verdict === 'avoid'),
    )
    return caught === undefined ? Number.POSITIVE_INFINITY : 24 * (caught.day - FROM_DAY)
  })
  return {
    hosts: hosts.length,
    medianHours: round(quantile(hours, 0.5)),
    p90Hours: round(quantile(hours, 0.9)),
    uncaught: hours.filter((each) => each === Number.POSITIVE_INFINITY).length,
    days,
  }
}

function findWrong(slow: readonly Host[], { samples, shownOnDay }: Simulated, days: number): string[] {
  return slow.flatMap((host) => {
    const own = samplesIn(samples)(host)
    const met = meetFaults(host, own, { days, shownOnDay: shownOnDay.get(host.host) })
    const isMissed = met.some(({ caughtAfterHours }) => caughtAfterHours === null || caughtAfterHours > 24)
    const isHarsh =
      host.faults.length === 0 && own.some(({ day, verdict }) => day > ADDED_UNTIL_DAY && verdict !== 'safe')
    return isMissed || isHarsh ? [host.host] : []
  })
}
