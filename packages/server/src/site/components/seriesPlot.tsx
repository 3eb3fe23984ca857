import { area, line } from 'd3-shape'
import type { Time } from '../../domain/facts/facts.ts'
import { formatDate } from '../format.ts'
import { createScales, PlotFrame, round } from './plotFrame.tsx'

export type SeriesPoint = { readonly at: Time; readonly value: number }

type SeriesProps = {
  readonly points: readonly SeriesPoint[]
  readonly name: string
  readonly format: (value: number) => string
}

/** One quantity over days as a line from 0 up. Nothing is drawn of less than two points. */
export function SeriesPlot({ points, name, format }: SeriesProps) {
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 2) return null
  const scales = createScales(first.at, last.at, Math.max(...points.map(({ value }) => value)) * 1.05)
  const { x, y } = scales
  const draw = line<SeriesPoint>(
    ({ at }) => round(x(at)),
    ({ value }) => round(y(value)),
  )
  const fill = area<SeriesPoint>(
    ({ at }) => round(x(at)),
    round(y(0)),
    ({ value }) => round(y(value)),
  )
  return (
    <PlotFrame
      {...scales}
      title={`${name} from ${formatDate(first.at)} (${format(first.value)}) to ${formatDate(last.at)} (${format(last.value)})`}
      formatY={format}
    >
      <path class="p-area" d={fill([...points]) ?? ''} />
      <path class="p-line" d={draw([...points]) ?? ''} />
      <circle class="p-dot" cx={round(x(last.at))} cy={round(y(last.value))} r="3" />
    </PlotFrame>
  )
}
