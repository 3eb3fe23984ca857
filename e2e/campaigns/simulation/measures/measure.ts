import type { Fault, Host } from '../world/types.ts'
import type { Sample } from './sample.ts'

const SEVERITY = ['unknown', 'safe', 'caution', 'avoid'] as const
type Verdict = (typeof SEVERITY)[number]

/** Detection of one fault of one host. */
export type Met = {
  readonly host: Host
  readonly fault: Fault
  /** Hours from the first visible effect to the first sufficient verdict that names the fault. Null if there was none. */
  readonly caughtAfterHours: number | null
  /** The same from the first probe on. Infinite if there was none. */
  readonly hoursOfProbes: number
  /** Whether the host was `safe` again during the fault, after its detection. */
  readonly safeAgain: boolean
}

/**
 * Compares the verdicts on a bad host with its faults.
 * @param options.shownOnDay day on which a probe first saw a fault of the host, if one did
 */
export function meetFaults(
  host: Host,
  samples: readonly Sample[],
  { days, shownOnDay }: { readonly days: number; readonly shownOnDay: number | undefined },
): Met[] {
  const seenFrom = ({ fromDay, visibleFromDay = fromDay }: Fault) =>
    visibleFromDay === 'seen' ? (shownOnDay ?? Number.POSITIVE_INFINITY) : visibleFromDay
  // A fault that is not visible yet cannot be met.
  const visible = host.faults.filter((fault) => seenFrom(fault) < days)
  return visible.map((fault) => {
    const isOf = ({ endpoint }: Sample) => fault.path === undefined || endpoint.endsWith(fault.path)
    const isDuring = ({ day }: Sample) => day >= fault.fromDay && day < Math.min(fault.toDay, days)
    const during = samples.filter((sample) => isDuring(sample) && isOf(sample))
    const isNamed = ({ flags }: Sample) =>
      fault.flags.length === 0 || fault.flags.some((flag) => flags.includes(flag))
    const isEnough = (sample: Sample) =>
      SEVERITY.indexOf(sample.verdict) >= SEVERITY.indexOf(fault.verdict) && isNamed(sample)
    const caught = during.findIndex(isEnough)
    const first = during[caught]
    const visibleFrom = seenFrom(fault)
    return {
      host,
      fault,
      hoursOfProbes:
        first === undefined ? Number.POSITIVE_INFINITY : 24 * (first.day - (during[0]?.day ?? first.day)),
      caughtAfterHours: first === undefined ? null : Math.max(0, 24 * (first.day - visibleFrom)),
      safeAgain:
        first !== undefined &&
        during
          .slice(caught)
          .some(
            ({ verdict, day }) =>
              verdict === 'safe' && day < first.day + (fault.heldDays ?? Number.POSITIVE_INFINITY),
          ),
    }
  })
}

/** Returns the worst verdict on a host. */
export function worstVerdict(samples: readonly Sample[]): Verdict {
  const worst = Math.max(0, ...samples.map(({ verdict }) => SEVERITY.indexOf(verdict)))
  return SEVERITY[worst] ?? 'unknown'
}

type Cells = Record<string, number>

/** Counts hosts by character and worst verdict, and for each flag its right, missed and wrong hosts. */
export function confusionMatrix(
  hosts: readonly Host[],
  samplesOf: (host: Host) => readonly Sample[],
): { verdicts: Record<string, Cells>; flags: Record<string, Cells> } {
  const verdicts: Record<string, Cells> = {}
  for (const host of hosts) {
    const row = host.isHonest
      ? 'honest'
      : host.faults.some(({ verdict }) => verdict === 'avoid')
        ? 'avoid'
        : 'caution'
    const cells = verdicts[row] ?? { unknown: 0, safe: 0, caution: 0, avoid: 0 }
    verdicts[row] = cells
    const worst = worstVerdict(samplesOf(host))
    cells[worst] = (cells[worst] ?? 0) + 1
  }
  const names = new Set(
    hosts.flatMap((host) => [...expectedFlags(host), ...samplesOf(host).flatMap(({ flags }) => flags)]),
  )
  const flags: Record<string, Cells> = {}
  for (const flag of [...names].sort()) {
    const cells = { right: 0, missed: 0, wrong: 0, rightlyAbsent: 0 }
    for (const host of hosts) {
      const wanted = expectedFlags(host).includes(flag)
      const raised = samplesOf(host).some((sample) => sample.flags.includes(flag))
      if (wanted) cells[raised ? 'right' : 'missed']++
      // Further flags on a bad host do not count as wrong.
      else if (host.isHonest && host.knownFlags?.includes(flag) !== true)
        cells[raised ? 'wrong' : 'rightlyAbsent']++
    }
    flags[flag] = cells
  }
  return { verdicts, flags }
}

const expectedFlags = ({ faults }: Host) => faults.flatMap(({ flags }) => flags.slice(0, 1))

/** Returns each flag that was raised on an honest host and is not expected there, as `host flag`. */
export function unexpectedFlags({ host, knownFlags = [] }: Host, samples: readonly Sample[]): string[] {
  const raised = new Set(samples.flatMap(({ flags }) => flags))
  return [...raised].filter((flag) => !knownFlags.includes(flag)).map((flag) => `${host} ${flag}`)
}
