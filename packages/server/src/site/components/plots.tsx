import { area, curveStepAfter, line } from 'd3-shape'
import type { DailyMeasurements } from '../../domain/facts/dailyMeasurements.ts'
import type { Time } from '../../domain/facts/facts.ts'
import { DAY } from '../../domain/facts/times.ts'
import { formatDate, formatUsd } from '../format.ts'
import { createScales, PlotFrame, round } from './plotFrame.tsx'

export type PriceStep = { readonly from: Time; readonly usd: number }

/** A price over time as steps, up to now. Nothing is drawn of less than one step. */
export function PricePlot({ steps, now }: { steps: readonly PriceStep[]; now: Time }) {
  const last = steps.at(-1)
  const first = steps[0]
  if (first === undefined || last === undefined) return null
  const points = [...steps, { from: now, usd: last.usd }]
  const scales = createScales(first.from, now, Math.max(...steps.map(({ usd }) => usd)) * 1.1)
  const { x, y } = scales
  const draw = line<PriceStep>(
    ({ from }) => round(x(from)),
    ({ usd }) => round(y(usd)),
  ).curve(curveStepAfter)
  const fill = area<PriceStep>(
    ({ from }) => round(x(from)),
    round(y(0)),
    ({ usd }) => round(y(usd)),
  ).curve(curveStepAfter)
  return (
    <PlotFrame
      {...scales}
      title={`Price a call from ${formatDate(first.from)} to ${formatDate(now)}: ${steps.map(({ usd }) => formatUsd(usd)).join(', then ')}`}
      formatY={formatUsd}
    >
      <path class="p-area" d={fill(points) ?? ''} />
      <path class="p-line" d={draw(points) ?? ''} />
      <circle class="p-dot" cx={round(x(now))} cy={round(y(last.usd))} r="3" />
    </PlotFrame>
  )
}

/** Latency of successful probes a day: the median as a line, the 90th percentile dashed. */
export function LatencyPlot({ days }: { days: readonly DailyMeasurements[] }) {
  const known = days.filter(({ latencyMsP50 }) => latencyMsP50 !== null)
  const first = known[0]
  const last = known.at(-1)
  if (first === undefined || last === undefined || known.length < 2) return null
  const p90 = (day: DailyMeasurements) => day.latencyMsP90 ?? day.latencyMsP50 ?? 0
  const scales = createScales(timeOf(first), timeOf(last), Math.max(...known.map(p90)) * 1.05)
  const { x, y } = scales
  // A day without a measurement is a gap in the line, not a guess.
  const draw = (value: (day: DailyMeasurements) => number) =>
    line<DailyMeasurements>(
      (day) => round(x(timeOf(day))),
      (day) => round(y(value(day))),
    ).defined(({ latencyMsP50 }) => latencyMsP50 !== null)(days.slice(-90)) ?? ''
  return (
    <PlotFrame
      {...scales}
      title={`Latency from ${first.date} to ${last.date}: median ${last.latencyMsP50} ms and 90th percentile ${p90(last)} ms on the last day`}
      formatY={(ms) => `${ms} ms`}
    >
      <path class="p-soft" d={draw(p90)} />
      <path class="p-line" d={draw((day) => day.latencyMsP50 ?? 0)} />
    </PlotFrame>
  )
}

export type DayBar = { readonly date: string; readonly count: number }

/** How many of something there were a day, as bars. */
export function DayBars({
  bars,
  what,
  isBad = false,
}: {
  bars: readonly DayBar[]
  what: string
  isBad?: boolean
}) {
  const first = bars[0]
  const last = bars.at(-1)
  if (first === undefined || last === undefined) return null
  const from = Date.parse(first.date)
  const scales = createScales(
    from,
    Date.parse(last.date) + DAY,
    Math.max(2, ...bars.map(({ count }) => count)),
  )
  const { x, y } = scales
  const width = x(from + DAY) - x(from)
  const total = bars.reduce((sum, { count }) => sum + count, 0)
  return (
    <PlotFrame
      {...scales}
      title={`${what} a day from ${first.date} to ${last.date}: ${total} in all`}
      formatY={(count) => (Number.isInteger(count) ? `${count}` : '')}
    >
      {bars
        .filter(({ count }) => count > 0)
        .map(({ date, count }) => (
          <rect
            class={isBad ? 'p-bar bad' : 'p-bar'}
            x={round(x(Date.parse(date)) + width * 0.12)}
            y={round(y(count))}
            width={round(width * 0.76)}
            height={round(y(0) - y(count))}
            rx="1"
          >
            <title>{`${date}: ${count}`}</title>
          </rect>
        ))}
    </PlotFrame>
  )
}

const timeOf = ({ date }: DailyMeasurements) => Date.parse(date)
