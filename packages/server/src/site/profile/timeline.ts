import { type Incident, type PricePeriod, type ReceiverPeriod, sameAddress } from '@touchstone402/shared'
import type { DailyMeasurements } from '../../facts/dailyMeasurements.ts'
import type { Announcement, Purchase, Time } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { DAY, toDate } from '../../facts/times.ts'
import { isByOldReceiver } from '../../judge/announced.ts'
import { isUndelivered } from '../../judge/delivery.ts'
import { INCIDENT_NAMES } from '../components/incidentList.tsx'
import { formatUsd, plural } from '../format.ts'
import { incidentPath } from '../paths.ts'
import { shortenAddress } from '../text.ts'
import { isRotating } from './loadProfile.ts'

const SHOWN_DAYS = 90
/** Pins that are drawn, the newest; a hostile seller may cause many. */
const SHOWN_PINS = 12
/** Receivers that have a colour of their own. */
const COLORS = 4

/** A part of the time with a value, in words. */
export type Span = { readonly from: Time; readonly to: Time; readonly text: string }

/** One day of probes. */
export type DaySpan = Span & {
  /** `YYYY-MM-DD`. */
  readonly date: string
  /** Result of the day's probes, in words. */
  readonly outcome: string
  /** Share of the probes that succeeded, from 0 to 1; null if none counts. */
  readonly share: number | null
}

/** Something that happened at a moment. */
export type Pin = {
  readonly at: Time
  readonly kind: 'incident' | 'delivered' | 'failed' | 'announced'
  readonly text: string
  readonly href?: string
}

/** History of an endpoint over the last 90 days, or since it was first seen. */
export type Timeline = {
  readonly from: Time
  readonly to: Time
  /** Oldest first. */
  readonly days: readonly DaySpan[]
  readonly prices: readonly (Span & { readonly usd: number | null })[]
  readonly receivers: readonly (Span & { readonly payTo: string; readonly color: number })[]
  readonly pins: readonly Pin[]
}

/** Whether a timeline holds nothing that was measured. */
export const isEmpty = ({ days, prices, receivers, pins }: Timeline): boolean =>
  [prices, receivers, pins].every(({ length }) => length === 0) && days.every(({ share }) => share === null)

type Recorded = {
  readonly state: EndpointState
  /** Oldest first. */
  readonly days: readonly DailyMeasurements[]
  readonly incidents: readonly Incident[]
  /** Incidents, purchases and announcements of the host; those of the endpoint are pins. */
  readonly purchases: readonly Purchase[]
  readonly announcements: readonly Announcement[]
  readonly now: Time
}

/** Collects the timeline of an endpoint. */
export function readTimeline({ state, days, incidents, purchases, announcements, now }: Recorded): Timeline {
  const endOfDay = Date.parse(toDate(now)) + DAY
  const from = Math.max(Date.parse(toDate(state.firstSeen)), endOfDay - SHOWN_DAYS * DAY)
  const within = <T extends { readonly from: Time; readonly to: Time }>(spans: readonly T[]) =>
    spans
      .filter((span) => span.to > from && span.from < now)
      .map((span) => ({ ...span, from: Math.max(span.from, from), to: Math.min(span.to, now) }))
  const receivers = isRotating(state) ? [] : state.payToHistory
  const order = [...new Set(receivers.map(({ payTo }) => payTo))]
  // The terms are unknown while the endpoint does not answer.
  const answeredUntil = state.darkSince ?? now
  return {
    from,
    to: endOfDay,
    days: within(days.map(describeDay)),
    prices: within(
      state.priceHistory.map((period) => ({
        ...spanOf(period, answeredUntil),
        usd: period.priceUsd,
        text: describePeriod(
          period.priceUsd === null ? `${period.amountAtomic} units` : formatUsd(period.priceUsd),
          period,
        ),
      })),
    ),
    receivers: within(
      receivers.map((period) => ({
        ...spanOf(period, answeredUntil),
        payTo: period.payTo,
        color: order.indexOf(period.payTo) % COLORS,
        text: describePeriod(shortenAddress(period.payTo), period),
      })),
    ),
    pins: [
      ...incidents.filter((one) => one.endpoint === state.endpoint).map(pinIncident),
      ...purchases.filter((one) => one.delivered || isUndelivered(one)).map(pinPurchase),
      ...announcements
        .filter((one) => isByOldReceiver(one) && order.some((payTo) => sameAddress(payTo, one.newPayTo)))
        .map(pinAnnouncement),
    ]
      .filter(({ at }) => at >= from && at <= now)
      .sort((a, b) => a.at - b.at)
      .slice(-SHOWN_PINS),
  }
}

const spanOf = ({ from, to }: Pick<PricePeriod | ReceiverPeriod, 'from' | 'to'>, end: Time) => ({
  from: Date.parse(from),
  to: to === null ? end : Date.parse(to),
})

/** Describes a period with a value: `$0.01 from 2026-11-01 to the last probe`. */
export const describePeriod = (text: string, { from, to }: Pick<PricePeriod, 'from' | 'to'>) =>
  `${text} from ${from.slice(0, 10)} to ${to === null ? 'the last probe' : to.slice(0, 10)}`

function describeDay({ date, up, down, notMeasured }: DailyMeasurements): DaySpan {
  const from = Date.parse(date)
  const counted = up + down
  const missed = notMeasured > 0 ? `${plural(notMeasured, 'probe')} could not be made` : ''
  const answered = counted > 0 ? `${up} of ${plural(counted, 'probe')} succeeded` : ''
  const outcome = [answered, missed].filter(Boolean).join(', ') || 'no probe'
  return {
    from,
    to: from + DAY,
    date,
    outcome,
    text: `${date}: ${outcome}`,
    share: counted === 0 ? null : up / counted,
  }
}

function pinIncident({ id, kind, status, detectedAt, resolvedAt }: Incident): Pin {
  const end = status === 'open' || resolvedAt === null ? 'open' : `resolved ${resolvedAt.slice(0, 10)}`
  const text = `${detectedAt.slice(0, 10)}: ${INCIDENT_NAMES[kind]}, ${end}`
  return { at: Date.parse(detectedAt), kind: 'incident', text, href: incidentPath(id) }
}

function pinPurchase({ at, delivered }: Purchase): Pin {
  const outcome = delivered ? 'delivered' : 'paid, not delivered'
  return {
    at,
    kind: delivered ? 'delivered' : 'failed',
    text: `${toDate(at)}: test purchase, ${outcome}`,
  }
}

function pinAnnouncement({ validFrom, newPayTo }: Announcement): Pin {
  const text = `${toDate(validFrom)}: receiver ${shortenAddress(newPayTo)} announced by the old one`
  return { at: validFrom, kind: 'announced', text }
}
