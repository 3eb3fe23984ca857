import { bad, type Kind, stolen, type Wrong } from '../parts.ts'
import type { SellerRequest } from '../world/types.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/**
 * Flags of a receiver that the probes saw among stable ones, once or again. A thief that is honest when a probe is repeated
 * at once looks like a seller that draws its receivers.
 */
const FLICKERS = ['receiver_flickers', 'receiver_alternates', 'payto_changed', 'payto_rotates', 'cloaked']
/** For a week after it was seen, a host with such a receiver is not safe. */
const SEEN: Wrong = { verdict: 'caution', flags: FLICKERS, visibleFromDay: 'seen', heldDays: 7 }

type To = (request: SellerRequest) => boolean

/** Creates hosts that show their thief's receiver at moments of their choice. */
const hops = (kind: string, count: number, to: To, wrong: Wrong): Kind =>
  bad(kind, count, ({ day, host, entry }) => ({
    from: day,
    change: { shown: { to, entries: [stolen(host, entry)] } },
    wrong,
  }))

/** Honest right after a probe, when it may be repeated, and around the time at which a prober with fixed gaps returns. */
const unlessDue: To = ({ sinceProbe }) =>
  sinceProbe !== null && sinceProbe > 10 * MINUTE && (sinceProbe < 2.95 * HOUR || sinceProbe > 3.35 * HOUR)

const within =
  (fromMinute: number, toMinute: number): To =>
  ({ sinceProbe }) =>
    sinceProbe !== null && sinceProbe >= fromMinute * MINUTE && sinceProbe < toMinute * MINUTE

/**
 * Creates hosts that are honest for a share of the time, and choose the rest by when they were last probed: from the
 * moment on at which no probe is repeated anymore.
 * @param honestShare 0 to 1, of the time since the last probe if probes come at random with the mean gap
 */
export const honestForAShare = (honestShare: number, count: number, meanGapHours = 3): Kind => {
  const startMinute = 10
  const before = Math.exp(-startMinute / 60 / meanGapHours)
  const endMinute = -Math.log(Math.max(before - (1 - honestShare), 1e-6)) * meanGapHours * 60
  return hops(`honest-${100 * honestShare}-pct`, count, within(startMinute, endMinute), SEEN)
}

/** Hosts that choose the moments at which they steal. */
export const TIMING: readonly Kind[] = [
  hops('honest-when-due', 4, unlessDue, SEEN),
  hops('hops-after-probe', 3, within(30, 40), SEEN),
  // Ten minutes of each hour.
  hops('hops-by-clock', 3, ({ since }) => since % HOUR < 10 * MINUTE, SEEN),
  // Ten minutes of each day, at the same time.
  hops('hops-once-a-day', 2, ({ since }) => since % (24 * HOUR) < 10 * MINUTE, SEEN),
]

/** Honest from a day on again, and buys live checks of its own endpoint, so that older probes leave the history. */
export const FLUSHES = bad('flushes-history', 2, ({ day, host, entry }) => {
  const untilDay = day + 0.3
  const to: To = ({ since }) => since < untilDay * 24 * HOUR
  return {
    from: day,
    change: { shown: { to, entries: [stolen(host, entry)] } },
    wrong: SEEN,
    boughtChecks: { atDay: untilDay + 0.1, count: 70 },
  }
})
