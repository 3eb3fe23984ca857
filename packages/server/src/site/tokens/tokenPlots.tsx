import type { Pulse, Whales } from '@touchstone402/shared'
import { createScales, PlotFrame, round } from '../components/plotFrame.tsx'
import { formatCount } from '../components/plots.tsx'
import { amountOf, formatHour, formatWhole } from './tokenFigures.ts'

type Part = { readonly from: number; readonly to: number; readonly value: number }

/** Splits a window into the equal parts of its series. */
export function partsOf(
  { window, series }: Pulse,
  measure: (part: Pulse['series'][number]) => number,
): Part[] {
  const [start, end] = [Date.parse(window.fromTime), Date.parse(window.toTime)]
  const length = (end - start) / series.length
  return series.map((part, index) => ({
    from: start + index * length,
    to: start + (index + 1) * length,
    value: measure(part),
  }))
}

type PartBarsProps = { readonly title: string; readonly parts: readonly Part[]; readonly isCount?: boolean }

/** A quantity in equal parts of a window, as bars. */
export function PartBars({ title, parts, isCount = false }: PartBarsProps) {
  const [first, last] = [parts[0], parts.at(-1)]
  if (first === undefined || last === undefined) return null
  const scales = createScales(first.from, last.to, Math.max(...parts.map(({ value }) => value)))
  const { x, y } = scales
  const format = isCount ? formatCount : formatWhole
  return (
    <PlotFrame {...scales} title={title} formatY={format} formatX={formatHour}>
      {parts
        .filter(({ value }) => value > 0)
        .map(({ from, to, value }) => (
          <rect
            class="p-bar"
            x={round(x(from) + 1)}
            y={round(y(value))}
            width={round(x(to) - x(from) - 2)}
            height={round(y(0) - y(value))}
            rx="1"
          >
            <title>{`${formatHour(from)}: ${format(value)}`}</title>
          </rect>
        ))}
    </PlotFrame>
  )
}

/** Large transfers by time and amount. */
export function TransferDots({ title, whales: { window, rows } }: { title: string; whales: Whales }) {
  const amounts = rows.map(amountOf)
  const scales = createScales(Date.parse(window.fromTime), Date.parse(window.toTime), Math.max(...amounts, 1))
  const { x, y } = scales
  return (
    <PlotFrame {...scales} title={title} formatY={formatWhole} formatX={formatHour}>
      {rows.map((row) => {
        const [left, top] = [round(x(Date.parse(row.time))), round(y(amountOf(row)))]
        return (
          <g>
            <path class="p-soft" d={`M${left} ${round(y(0))}V${top}`} />
            <circle class="p-dot" cx={left} cy={top} r="4">
              <title>{`${formatHour(row.time)}: ${formatWhole(amountOf(row))}`}</title>
            </circle>
          </g>
        )
      })}
    </PlotFrame>
  )
}

type SignedBarProps = { readonly value: number; readonly most: number }

/** A bar to the left for a loss and to the right for a gain. Repeats a figure beside it. */
export function SignedBar({ value, most }: SignedBarProps) {
  const length = most === 0 ? 0 : round((50 * Math.min(Math.abs(value), most)) / most)
  return (
    <svg class="signed" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect
        class={value < 0 ? 'p-bar loss' : 'p-bar'}
        x={value < 0 ? 50 - length : 50}
        width={length}
        height="10"
      />
      <path class="axis" d="M50 0V10" />
    </svg>
  )
}
