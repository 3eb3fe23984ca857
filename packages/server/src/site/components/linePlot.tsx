import { area, curveLinear, curveStepAfter, line } from 'd3-shape'
import type { Time } from '../../domain/facts/facts.ts'
import { createScales, PlotFrame, round } from './plotFrame.tsx'

export type SeriesPoint = { readonly at: Time; readonly value: number }

type LinePlotProps = {
  /** Oldest first. */
  readonly points: readonly SeriesPoint[]
  readonly title: string
  readonly format: (value: number) => string
  /** Holds each value until the next one. */
  readonly isStepped?: boolean
}

/** One quantity over time, from 0 up. Draws nothing for fewer than two points. */
export function LinePlot({ points, title, format, isStepped = false }: LinePlotProps) {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 2) return null
  const headroom = isStepped ? 1.1 : 1.05
  const scales = createScales(first.at, last.at, Math.max(...points.map(({ value }) => value)) * headroom)
  const x = ({ at }: SeriesPoint) => round(scales.x(at))
  const y = ({ value }: SeriesPoint) => round(scales.y(value))
  const curve = isStepped ? curveStepAfter : curveLinear
  return (
    <PlotFrame {...scales} title={title} formatY={format}>
      <path class="p-area" d={area(x, round(scales.y(0)), y).curve(curve)([...points]) ?? ''} />
      <path class="p-line" d={line(x, y).curve(curve)([...points]) ?? ''} />
      <circle class="p-dot" cx={x(last)} cy={y(last)} r="3" />
    </PlotFrame>
  )
}
