import { line } from 'd3-shape'
import type { DailyMeasurements } from '../../domain/facts/dailyMeasurements.ts'
import { DAY } from '../../domain/facts/times.ts'
import { createScales, PlotFrame, round } from './plotFrame.tsx'

/** Daily latency of successful probes: the median as a solid line, the 90th percentile as a dashed one. */
export function LatencyPlot({ days }: { days: readonly DailyMeasurements[] }) {
  const known = days.filter(({ latencyMsP50 }) => latencyMsP50 !== null)
  const first = known[0]
  const last = known.at(-1)
  if (first === undefined || last === undefined || known.length < 2) return null
  const p90 = (day: DailyMeasurements) => day.latencyMsP90 ?? day.latencyMsP50 ?? 0
  const timeOf = ({ date }: DailyMeasurements) => Date.parse(date)
  const scales = createScales(timeOf(first), timeOf(last), Math.max(...known.map(p90)) * 1.05)
  // Days without a measurement are gaps; they are not interpolated.
  const draw = (value: (day: DailyMeasurements) => number) =>
    line<DailyMeasurements>(
      (day) => round(scales.x(timeOf(day))),
      (day) => round(scales.y(value(day))),
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
type DayBarsProps = { readonly bars: readonly DayBar[]; readonly name: string; readonly isBad?: boolean }

/** Daily counts as bars. */
export function DayBars({ bars, name, isBad = false }: DayBarsProps) {
  const first = bars[0]
  const last = bars.at(-1)
  if (first === undefined || last === undefined) return null
  const from = Date.parse(first.date)
  const most = Math.max(2, ...bars.map(({ count }) => count))
  const scales = createScales(from, Date.parse(last.date) + DAY, most)
  const { x, y } = scales
  const width = x(from + DAY) - x(from)
  const total = bars.reduce((sum, { count }) => sum + count, 0)
  return (
    <PlotFrame
      {...scales}
      title={`${name} per day from ${first.date} to ${last.date}: ${total} in total`}
      formatY={formatCount}
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

/** Labels whole numbers only; a count has no fractions. */
export function formatCount(count: number): string {
  return Number.isInteger(count) ? `${count}` : ''
}
