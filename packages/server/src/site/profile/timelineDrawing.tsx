import { scaleLinear } from 'd3-scale'
import type { ComponentChildren } from 'preact'
import type { Time } from '../../facts/facts.ts'
import { toDate } from '../../facts/times.ts'
import { formatUsd } from '../format.ts'
import { shortenAddress } from '../text.ts'
import type { DaySpan, Pin, Timeline } from './timeline.ts'

/** Tops and heights of the lanes, in pixels. Across, everything is in percent, so one drawing fits every width. */
const LANES = {
  uptime: { top: 22, height: 26 },
  price: { top: 84, height: 36 },
  receiver: { top: 148, height: 26 },
  pins: { top: 190, height: 0 },
} as const
const AXIS = 206
const HEIGHT = 224
/** Width of the narrowest text in a lane, in percent of a screen of a phone and of a desk. */
const ROOM = { always: 36, wide: 13 }

/** Height of the lanes without text. */
export const BARE_HEIGHT = AXIS

type Place = (at: Time) => number
type DrawingProps = {
  readonly timeline: Timeline
  /** Leaves out all text and everything that reacts. @default false */
  readonly isBare?: boolean
}

/** The lanes of a timeline: uptime by day, price, receiver, and pins. An `svg` element goes around it. */
export function TimelineLanes({ timeline, isBare = false }: DrawingProps) {
  const { from, to, days, prices, receivers, pins } = timeline
  const scale = scaleLinear([from, to], [0, 100])
  const x: Place = (at) => Math.round(scale(at) * 100) / 100
  const width = (span: { readonly from: Time; readonly to: Time }) =>
    Math.max(0.2, Math.round((x(span.to) - x(span.from)) * 100) / 100)
  const { uptime, price, receiver } = LANES
  const heightOf = scalePrices(timeline)
  return (
    <>
      {days.map((day) => (
        <Value text={day.text} isQuiet={day.share === 1 || day.share === null} isBare={isBare}>
          <DayCell day={day} x={x(day.from)} width={width(day)} />
        </Value>
      ))}
      <rect class="t-frame" y={uptime.top} width="100%" height={uptime.height} />
      {prices.map((period, index) => {
        const y = heightOf(period.usd)
        const before = prices[index - 1]
        return (
          <Value text={period.text} isBare={isBare}>
            {before !== undefined && (
              <line
                class="t-price"
                x1={`${x(period.from)}%`}
                x2={`${x(period.from)}%`}
                y1={heightOf(before.usd)}
                y2={y}
              />
            )}
            <line class="t-price" x1={`${x(period.from)}%`} x2={`${x(period.to)}%`} y1={y} y2={y} />
            <rect
              class="t-catch"
              x={`${x(period.from)}%`}
              width={`${width(period)}%`}
              y={price.top}
              height={price.height}
            />
            {!isBare && (
              <Inside text={formatUsd(period.usd)} x={x(period.from)} width={width(period)} y={y - 5} />
            )}
          </Value>
        )
      })}
      {receivers.map((period) => (
        <Value text={period.text} isBare={isBare}>
          <rect
            class={`t-receiver r${period.color}`}
            x={`${x(period.from)}%`}
            width={`${width(period)}%`}
            y={receiver.top}
            height={receiver.height}
          />
          {!isBare && (
            <Inside
              text={shortenAddress(period.payTo)}
              x={x(period.from)}
              width={width(period)}
              y={receiver.top + 18}
              isOn
            />
          )}
        </Value>
      ))}
      {pins.map((pin) => (
        <Value text={pin.text} isBare={isBare}>
          <PinMark pin={pin} x={x(pin.at)} />
        </Value>
      ))}
      <line class="t-axis" x1="0" x2="100%" y1={AXIS} y2={AXIS} />
    </>
  )
}

/** A timeline with its labels and dates. Values show on hover and focus. */
export function TimelineDrawing({ timeline, label }: DrawingProps & { readonly label: string }) {
  const names = { Uptime: LANES.uptime, Price: LANES.price, Receiver: LANES.receiver }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing of several values, each with a name of its own
    <svg class="time" width="100%" height={HEIGHT} role="group" aria-label={label}>
      {Object.entries(names).map(([name, { top }]) => (
        <text class="t-name" y={top - 8}>
          {name}
        </text>
      ))}
      <TimelineLanes timeline={timeline} />
      {listDates(timeline).map(({ share, date }) => (
        <text
          class={share === 0 || share === 1 ? 't-name' : 't-name t-wide'}
          x={`${Math.round(share * 10_000) / 100}%`}
          y={HEIGHT - 3}
          text-anchor={share === 0 ? 'start' : share === 1 ? 'end' : 'middle'}
        >
          {date}
        </text>
      ))}
    </svg>
  )
}

/** Dates on the axis, each once: at both ends, and between them where there is room. */
function listDates({ from, to }: Timeline) {
  const dates = [0, 1, 1 / 3, 2 / 3].map((share) => ({
    share,
    date: toDate(from + share * (to - 1 - from)),
  }))
  return dates.filter(({ date }, index) => dates.findIndex((one) => one.date === date) === index)
}

type ValueProps = {
  readonly text: string
  readonly isBare: boolean
  /** Shows it to a pointer alone, out of the way of the keyboard. @default false */
  readonly isQuiet?: boolean
  readonly children: ComponentChildren
}

/** A part of the drawing that shows its value on hover, and on focus unless it is quiet. */
function Value({ text, isBare, isQuiet = false, children }: ValueProps) {
  if (isBare) return <g>{children}</g>
  return (
    <g {...(!isQuiet && { tabindex: 0, role: 'img' as const })}>
      <title>{text}</title>
      {children}
      {!isQuiet && (
        <text class="t-value" x="100%" y="14" text-anchor="end">
          {text}
        </text>
      )}
    </g>
  )
}

/** A day, filled from below by the share of probes that failed. */
function DayCell({
  day: { share },
  x,
  width,
}: {
  readonly day: DaySpan
  readonly x: number
  readonly width: number
}) {
  const { top, height } = LANES.uptime
  const place = { x: `${x}%`, width: `${width}%` }
  if (share === null) return <rect class="t-gap" {...place} y={top} height={height} />
  const failed = share === 1 ? 0 : Math.max(3, Math.round((1 - share) * height))
  return (
    <>
      <rect class="t-up" {...place} y={top} height={height} />
      {failed > 0 && <rect class="t-down" {...place} y={top + height - failed} height={failed} />}
    </>
  )
}

type InsideProps = {
  readonly text: string
  readonly x: number
  readonly width: number
  readonly y: number
  /** Stands on a coloured segment. @default false */
  readonly isOn?: boolean
}

/** Text in a part of a lane, where there is room for it. */
function Inside({ text, x, width, y, isOn = false }: InsideProps) {
  if (width < ROOM.wide) return null
  return (
    <text
      class={`t-in${isOn ? ' t-on' : ''}${width < ROOM.always ? ' t-wide' : ''}`}
      x={`${x}%`}
      dx={isOn ? 8 : 0}
      y={y}
    >
      {text}
    </text>
  )
}

/** A pin; kinds differ by their shape as well as by their colour. */
function PinMark({ pin: { kind }, x }: { readonly pin: Pin; readonly x: number }) {
  const y = LANES.pins.top
  const at = `${x}%`
  return (
    <>
      {kind === 'incident' && <line class="t-cut" x1={at} x2={at} y1={LANES.uptime.top} y2={y} />}
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: only places the shape; the group around it has the title */}
      <svg class={`t-pin p-${kind}`} x={at} y={y} overflow="visible">
        {kind === 'incident' || kind === 'failed' ? (
          <path d="M-6-6 6 6M6-6-6 6" />
        ) : kind === 'delivered' ? (
          <circle r="5" />
        ) : (
          <path d="M0-7 7 0 0 7-7 0z" />
        )}
        <rect class="t-catch" x="-10" y="-10" width="20" height="20" />
      </svg>
    </>
  )
}

/** Places prices in their lane, from 0 up; one that is not known in dollars lies at the bottom. */
function scalePrices({ prices }: Timeline) {
  const { top, height } = LANES.price
  const most = Math.max(...prices.map(({ usd }) => usd ?? 0), 0)
  const scale = scaleLinear([0, most || 1], [top + height, top + 12])
  return (usd: number | null) => Math.round(scale(usd ?? 0))
}
