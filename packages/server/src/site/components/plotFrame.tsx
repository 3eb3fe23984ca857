import { type ScaleLinear, type ScaleTime, scaleLinear, scaleUtc } from 'd3-scale'
import type { ComponentChildren } from 'preact'
import type { Time } from '../../domain/facts/facts.ts'
import { formatDate } from '../format.ts'

/** Size of a plot in view-box units. */
const PLOT = { width: 380, height: 150, left: 54, right: 8, top: 10, bottom: 26 } as const

/** Room for the label of a day, in view-box units. */
const LABEL_WIDTH = 90

type Scales = { readonly x: ScaleTime<number, number>; readonly y: ScaleLinear<number, number> }

/** Width of a plot that has a panel to itself, in view-box units. */
export const WIDE_PLOT = 440

/** Creates the axes of a plot: a time range, and values from 0 to `most`. */
export function createScales(from: Time, to: Time, most: number, width: number = PLOT.width): Scales {
  const { height, left, right, top, bottom } = PLOT
  return {
    x: scaleUtc([from, Math.max(to, from + 1)], [left, width - right]),
    y: scaleLinear([0, most > 0 ? most : 1], [height - bottom, top]).nice(3),
  }
}

type FrameProps = Scales & {
  readonly title: string
  readonly formatY: (value: number) => string
  /** The width that the scales were made for. @default that of a plot beside others */
  readonly width?: number
  readonly children: ComponentChildren
}

/** A plot with its axes. The title is its text alternative. */
export function PlotFrame({ title, x, y, formatY, width = PLOT.width, children }: FrameProps) {
  const { height, left, right, bottom } = PLOT
  const days = spread(x.ticks(3), x)
  return (
    <svg
      class={width > PLOT.width ? 'plot wide' : 'plot'}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={title}
    >
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
          y={height - bottom + 19}
          text-anchor={index === days.length - 1 && x(day) > width - 50 ? 'end' : 'middle'}
        >
          {formatDay(day.getTime())}
        </text>
      ))}
      {children}
    </svg>
  )
}

const formatDay = (time: Time) => formatDate(time).replace(/ \d{4}$/, '')

/** Leaves out ticks whose labels would touch the next one. */
function spread(ticks: readonly Date[], x: Scales['x']): Date[] {
  const kept: Date[] = []
  for (const tick of ticks.toReversed()) {
    const [next] = kept
    if (next === undefined || x(next) - x(tick) >= LABEL_WIDTH) kept.unshift(tick)
  }
  return kept
}

/** Rounds to a tenth of a unit, which is finer than a pixel. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}
