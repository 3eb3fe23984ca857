import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { Time } from '../../facts/facts.ts'
import { formatDate } from '../format.ts'

/** Size of a plot in view-box units. */
const PLOT = { width: 380, height: 150, left: 54, right: 8, top: 10, bottom: 26 } as const

/** Rounds to a tenth of a unit, which is finer than a pixel. */
const round = (value: number) => Math.round(value * 10) / 10

type SeriesPoint = { readonly at: Time; readonly value: number }
type LinePlotProps = {
  readonly name: string
  /** Oldest first. */
  readonly points: readonly SeriesPoint[]
  readonly format: (value: number) => string
}

/** One quantity over time, from 0 up, with the first and the last day. */
export function LinePlot({ name, points, format }: LinePlotProps) {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 2)
    return <p class="empty">Needs two days of reports.</p>
  const { width, height, left, right, top, bottom } = PLOT
  const most = Math.max(...points.map(({ value }) => value)) * 1.1
  const time = scaleLinear([first.at, last.at], [left, width - right])
  const scale = scaleLinear([0, most || 1], [height - bottom, top]).nice(3)
  const x = ({ at }: SeriesPoint) => round(time(at))
  const y = ({ value }: SeriesPoint) => round(scale(value))
  const [from, to] = [first, last].map(({ at, value }) => `${formatDate(at)} (${format(value)})`)
  return (
    <svg
      class="plot"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${name} from ${from} to ${to}`}
    >
      {scale.ticks(3).map((value) => (
        <g>
          <path class="grid" d={`M${left} ${round(scale(value))}H${width - right}`} />
          <text x={left - 6} y={round(scale(value)) + 4} text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      <text x={left} y={height - 7}>
        {formatDate(first.at)}
      </text>
      <text x={width - right} y={height - 7} text-anchor="end">
        {formatDate(last.at)}
      </text>
      <path class="p-area" d={area(x, round(scale(0)), y)([...points]) ?? ''} />
      <path class="p-line" d={line(x, y)([...points]) ?? ''} />
    </svg>
  )
}
