import { asks, bad, END, type Kind, type Seed, stolen } from '../parts.ts'
import type { Host, Phase, ScriptedPurchase } from '../world/types.ts'

/** By then the hijack is confirmed, and its incident is open. */
const ESCAPES_AFTER = 1.25

type Escape = Partial<Host> & {
  /** Behavior of the hijacked host from then on. */
  readonly phase: Partial<Phase>
  readonly also?: readonly (Partial<Host> & Pick<Host, 'host'>)[]
}

/** Creates hosts that are hijacked and, once the incident is open, try to shake it off. */
const escapes = (kind: string, count: number, plan: (seed: Seed, onDay: number) => Escape): Kind =>
  bad(kind, count, (seed) => {
    const { day, host, entry } = seed
    const onDay = day + ESCAPES_AFTER
    const thief = [stolen(host, entry)]
    const { phase, ...rest } = plan(seed, onDay)
    const wrong = { verdict: 'avoid', flags: ['payto_changed'], path: '/api' } as const
    return {
      wrong,
      phases: [asks(0, [entry]), asks(day, thief), asks(onDay, thief, phase)],
      faults: [{ fromDay: day, toDay: END, ...wrong }],
      escapesOnDay: onDay,
      ...rest,
    }
  })

const FLAGGED = { verdict: 'avoid', flags: ['receiver_flagged'], toDay: END } as const

/** A purchase of ours at the hijacked host. Without one, an incident accuses no other host. */
const paidToThief = ({ day, host, entry }: Seed): ScriptedPurchase => ({
  atDay: day + 0.5,
  delivered: true,
  httpStatus: 200,
  payTo: stolen(host, entry).payTo,
})

/** A host that the thief opens on a day for the receiver of the hijack. */
const opened = (
  { host: from, entry }: Seed,
  host: string,
  onDay: number,
): Partial<Host> & Pick<Host, 'host'> => ({
  host,
  phases: [asks(0, [stolen(from, entry)])],
  listedFromDay: onDay,
  escapesOnDay: onDay,
  faults: [{ ...FLAGGED, fromDay: onDay }],
  theft: [{ fromDay: onDay, toDay: END, payTo: stolen(from, entry).payTo }],
  purchases: [],
})

/** Hosts that try to shake off an open incident. The record stays with the receiver. */
export const BAD_RECORDS: readonly Kind[] = [
  // Declines probes. What is open stays open.
  escapes('opts-out-under-incident', 2, () => ({ phase: { wellKnown: '{"probes":false}' } })),
  // No purchase of ours paid the new path, which may be another tenant's. So Caution is the worst verdict.
  escapes('changes-path', 2, ({ day }, onDay) => ({
    phase: { paths: ['/v2/api'] },
    faults: [
      { fromDay: day, toDay: END, verdict: 'avoid', flags: ['payto_changed'], path: '/api' },
      { fromDay: onDay, toDay: END, verdict: 'caution', flags: ['host_accused'], path: '/v2/api' },
    ],
  })),
  // Under another name of the site, and on another site.
  escapes('changes-name', 2, (seed, onDay) => ({
    phase: { reply: 'refused' },
    purchases: [paidToThief(seed)],
    also: [opened(seed, `new.${seed.host}`, onDay)],
  })),
  escapes('changes-host', 2, (seed, onDay) => ({
    phase: { reply: 'refused' },
    purchases: [paidToThief(seed)],
    also: [opened(seed, `api.fresh-shop-${seed.index}.example`, onDay)],
  })),
]
