import { type ScaleTime, scaleLinear, scaleUtc } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { Time } from '../../domain/facts/facts.ts'
import { formatDate } from '../format.ts'

/** Size of a plot in view-box units. */
const PLOT = { width: 380, height: 150, left: 54, right: 8, top: 10, bottom: 26 } as const
/** Room for the label of a day, in view-box units. */
const LABEL_WIDTH = 90

/** Labels whole numbers only; a count has no fractions. */
export const formatCount = (count: number) => (Number.isInteger(count) ? `${count}` : '')

/** Rounds to a tenth of a unit, which is finer than a pixel. */
const round = (value: number) => Math.round(value * 10) / 10

type SeriesPoint = { readonly at: Time; readonly value: number }
type LinePlotProps = {
  /** Oldest first. */
  readonly points: readonly SeriesPoint[]
  /** Text alternative. */
  readonly title: string
  readonly format: (value: number) => string
}

/** One quantity over time, from 0 up. Draws nothing for fewer than two points. */
export function LinePlot({ points, title, format }: LinePlotProps) {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 2) return null
  const { width, height, left, right, top, bottom } = PLOT
  const most = Math.max(...points.map(({ value }) => value)) * 1.1
  const time = scaleUtc([first.at, Math.max(last.at, first.at + 1)], [left, width - right])
  const scale = scaleLinear([0, most > 0 ? most : 1], [height - bottom, top]).nice(3)
  const x = ({ at }: SeriesPoint) => round(time(at))
  const y = ({ value }: SeriesPoint) => round(scale(value))
  return (
    <svg class="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
      <title>{title}</title>
      {scale.ticks(3).map((value) => (
        <g>
          <path class="grid" d={`M${left} ${round(scale(value))}H${width - right}`} />
          <text x={left - 6} y={round(scale(value)) + 4} text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {spread(time).map((day) => (
        <text
          x={round(time(day))}
          y={height - bottom + 19}
          text-anchor={time(day) > width - LABEL_WIDTH / 2 ? 'end' : 'middle'}
        >
          {formatDate(day.getTime()).replace(/ \d{4}$/, '')}
        </text>
      ))}
      <path class="p-area" d={area(x, round(scale(0)), y)([...points]) ?? ''} />
      <path class="p-line" d={line(x, y)([...points]) ?? ''} />
      <circle class="p-dot" cx={x(last)} cy={y(last)} r="3" />
    </svg>
  )
}

/** Returns the ticks of a time axis without those whose labels would touch the next one. */
function spread(time: ScaleTime<number, number>): Date[] {
  const kept: Date[] = []
  for (const tick of time.ticks(3).toReversed()) {
    const [next] = kept
    if (next === undefined || time(next) - time(tick) >= LABEL_WIDTH) kept.unshift(tick)
  }
  return kept
}
