import { toDate } from '../../facts/times.ts'
import { keyOf, layPlot, listDays, type Plot, type PlotSize } from './plots.tsx'

const SPARK: PlotSize = { width: 132, height: 32, text: 0 }

/** The first line of a plot in small, without its scale; nothing with fewer than two days. */
export function Sparkline({ plot }: { readonly plot: Plot }) {
  const shape = layPlot(plot, SPARK)
  const [line] = shape?.lines ?? []
  if (shape === undefined || line === undefined) return null
  const [first, last] = [shape.days[0]?.said, shape.days.at(-1)?.said]
  return (
    <svg
      class="plot spark"
      viewBox={`0 0 ${SPARK.width} ${SPARK.height}`}
      role="img"
      aria-label={`${plot.name}, from ${first} to ${last}`}
    >
      <path class="grid" d={`M${shape.left} ${shape.base}H${shape.right}`} />
      <path class="p-line" data-line={line.key} d={line.path} />
    </svg>
  )
}

/** Names the lines of a plot with their latest values. */
export function Legend({ plot }: { readonly plot: Plot }) {
  const last = listDays(plot).at(-1)
  if (plot.lines.length < 2 || last === undefined) return null
  return (
    <ul class="legend">
      {plot.lines.map((one, index) => {
        const value = one.points.find(({ at }) => at === last)?.value ?? null
        return (
          <li>
            <svg class="plot swatch" viewBox="0 0 24 6" aria-hidden="true">
              <path class="p-line" data-line={keyOf(one, index)} d="M0 3H24" />
            </svg>
            <bdi>{one.name}</bdi> {value === null ? 'not measured' : plot.format(value)}
          </li>
        )
      })}
    </ul>
  )
}

type ValueTableProps = {
  readonly plot: Plot
  /** Number of the newest days that are listed. @default all */
  readonly most?: number
}

/** The values of a plot, newest day first; nothing without any. */
export function ValueTable({ plot, most = Number.POSITIVE_INFINITY }: ValueTableProps) {
  const days = listDays(plot).slice(-most)
  if (days.length === 0) return null
  const values = plot.lines.map(({ points }) => new Map(points.map(({ at, value }) => [at, value])))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll regions must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={`Values of ${plot.name}`}>
      <table class="values">
        <thead>
          <tr>
            <th scope="col">Date</th>
            {plot.lines.map(({ name }) => (
              <th scope="col">
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((at) => (
            <tr>
              <th scope="row">{toDate(at)}</th>
              {values.map((of) => {
                const value = of.get(at) ?? null
                return <td>{value === null ? '–' : plot.format(value)}</td>
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
