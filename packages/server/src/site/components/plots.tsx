import { type ScaleLinear, type ScaleTime, scaleLinear, scaleUtc } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { ComponentChildren } from 'preact'
import type { Time } from '../../domain/facts/facts.ts'
import { formatDate } from '../format.ts'

/** Size of a plot in view-box units. */
const PLOT = { width: 380, height: 150, left: 54, right: 8, top: 10, bottom: 26 } as const
/** Room for the label of a day, in view-box units. */
const LABEL_WIDTH = 90

type Scales = { readonly x: ScaleTime<number, number>; readonly y: ScaleLinear<number, number> }

/** Creates the axes of a plot: a time range, and values from 0 to `most`. */
export function createScales(from: Time, to: Time, most: number): Scales {
  const { width, height, left, right, top, bottom } = PLOT
  return {
    x: scaleUtc([from, Math.max(to, from + 1)], [left, width - right]),
    y: scaleLinear([0, most > 0 ? most : 1], [height - bottom, top]).nice(3),
  }
}

/** Rounds to a tenth of a unit, which is finer than a pixel. */
export const round = (value: number) => Math.round(value * 10) / 10

type FrameProps = Scales & {
  readonly title: string
  readonly format: (value: number) => string
  readonly children: ComponentChildren
}

/** A plot with its axes. The title is its text alternative. */
export function PlotFrame({ title, x, y, format, children }: FrameProps) {
  const { width, height, left, right, bottom } = PLOT
  return (
    <svg class="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
      <title>{title}</title>
      {y.ticks(3).map((value) => (
        <g>
          <path class="grid" d={`M${left} ${round(y(value))}H${width - right}`} />
          <text x={left - 6} y={round(y(value)) + 4} text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {spread(x).map((day) => (
        <text
          x={round(x(day))}
          y={height - bottom + 19}
          text-anchor={x(day) > width - LABEL_WIDTH / 2 ? 'end' : 'middle'}
        >
          {formatDate(day.getTime()).replace(/ \d{4}$/, '')}
        </text>
      ))}
      {children}
    </svg>
  )
}

/** Returns the ticks of a time axis without those whose labels would touch the next one. */
function spread(x: Scales['x']): Date[] {
  const kept: Date[] = []
  for (const tick of x.ticks(3).toReversed()) {
    const [next] = kept
    if (next === undefined || x(next) - x(tick) >= LABEL_WIDTH) kept.unshift(tick)
  }
  return kept
}

/** Labels whole numbers only; a count has no fractions. */
export const formatCount = (count: number) => (Number.isInteger(count) ? `${count}` : '')

type SeriesPoint = { readonly at: Time; readonly value: number }
type LinePlotProps = {
  /** Oldest first. */
  readonly points: readonly SeriesPoint[]
  readonly title: string
  readonly format: (value: number) => string
}

/** One quantity over time, from 0 up. Draws nothing for fewer than two points. */
export function LinePlot({ points, title, format }: LinePlotProps) {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 2) return null
  const scales = createScales(first.at, last.at, Math.max(...points.map(({ value }) => value)) * 1.1)
  const x = ({ at }: SeriesPoint) => round(scales.x(at))
  const y = ({ value }: SeriesPoint) => round(scales.y(value))
  return (
    <PlotFrame {...scales} title={title} format={format}>
      <path class="p-area" d={area(x, round(scales.y(0)), y)([...points]) ?? ''} />
      <path class="p-line" d={line(x, y)([...points]) ?? ''} />
      <circle class="p-dot" cx={x(last)} cy={y(last)} r="3" />
    </PlotFrame>
  )
}
