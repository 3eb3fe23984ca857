import { type ScaleLinear, type ScaleTime, scaleLinear, scaleUtc } from 'd3-scale'
import type { ComponentChildren } from 'preact'
import type { Time } from '../../domain/facts/facts.ts'
import { formatDate } from '../format.ts'

/** Size of a plot in view-box units. */
const PLOT = { width: 380, height: 150, left: 46, right: 8, top: 10, bottom: 22 } as const

type Scales = { readonly x: ScaleTime<number, number>; readonly y: ScaleLinear<number, number> }

/** Creates the axes of a plot: a time range, and values from 0 to `most`. */
export function createScales(from: Time, to: Time, most: number): Scales {
  const { width, height, left, right, top, bottom } = PLOT
  return {
    x: scaleUtc([from, Math.max(to, from + 1)], [left, width - right]),
    y: scaleLinear([0, most > 0 ? most : 1], [height - bottom, top]).nice(3),
  }
}

type FrameProps = Scales & {
  readonly title: string
  readonly formatY: (value: number) => string
  readonly children: ComponentChildren
}

/** A plot with its axes. The title is its text alternative. */
export function PlotFrame({ title, x, y, formatY, children }: FrameProps) {
  const { width, height, left, right, bottom } = PLOT
  const days = x.ticks(3)
  return (
    <svg class="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
      <title>{title}</title>
      {y.ticks(3).map((value) => (
        <g>
          <path class="grid" d={`M${left} ${round(y(value))}H${width - right}`} />
          <text x={left - 6} y={round(y(value)) + 4} text-anchor="end">
            {formatY(value)}
          </text>
        </g>
      ))}
      {days.map((day, index) => (
        <text
          x={round(x(day))}
          y={height - bottom + 16}
          text-anchor={index === days.length - 1 && x(day) > width - 50 ? 'end' : 'middle'}
        >
          {formatDate(day.getTime()).replace(/ \d{4}$/, '')}
        </text>
      ))}
      {children}
    </svg>
  )
}

/** Rounds to a tenth of a unit, which is finer than a pixel. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}
