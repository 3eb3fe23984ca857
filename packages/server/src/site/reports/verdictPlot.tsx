import { type Report, VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'
import { DAY } from '../../domain/facts/times.ts'
import { createScales, PlotFrame, round, WIDE_PLOT } from '../components/plotFrame.tsx'
import { formatCount } from '../components/plots.tsx'
import { trend } from './findings.ts'

/** From the bottom up: what is bad stands on the axis, where it can be compared. */
const STACKED: readonly VerdictCode[] = ['avoid', 'caution', 'unknown', 'safe']

/** Verdicts on all endpoints by day, stacked. Days without a report are gaps. Draws nothing without a report. */
export function VerdictPlot({ reports }: { readonly reports: readonly Report[] }) {
  const [first] = reports
  const last = reports.at(-1)
  if (first === undefined || last === undefined) return null
  const most = Math.max(...reports.map((report) => heightBelow(report, STACKED.length)))
  const scales = createScales(Date.parse(first.date), Date.parse(last.date) + DAY, most, WIDE_PLOT)
  const draw = (place: number) =>
    findRuns(reports)
      .map((run) => drawRun(run, place, scales))
      .join('')
  return (
    <figure>
      <PlotFrame
        {...scales}
        title={`${trend(reports)}. Endpoints by verdict and day.`}
        formatY={formatCount}
        width={WIDE_PLOT}
      >
        {STACKED.map((verdict, place) => (
          <path class={`p-verdict v-${verdict}`} d={draw(place)} />
        ))}
      </PlotFrame>
      <ul class="legend">
        {STACKED.toReversed().map((verdict) => (
          <li class={`v-${verdict}`}>
            <span class="swatch" />
            {VERDICT_LABELS[verdict]}
          </li>
        ))}
      </ul>
    </figure>
  )
}

/** Splits reports into runs of days without a gap. */
function findRuns(reports: readonly Report[]): Report[][] {
  const runs: Report[][] = []
  for (const report of reports) {
    const run = runs.at(-1)
    const before = run?.at(-1)
    if (
      run !== undefined &&
      before !== undefined &&
      Date.parse(report.date) - Date.parse(before.date) === DAY
    )
      run.push(report)
    else runs.push([report])
  }
  return runs
}

const heightBelow = ({ byVerdict }: Report, place: number) =>
  STACKED.slice(0, place).reduce((sum, verdict) => sum + byVerdict[verdict], 0)

/** Draws one layer of a run as steps: along its top, and back along its bottom. */
function drawRun(run: readonly Report[], place: number, { x, y }: ReturnType<typeof createScales>): string {
  const step = ({ date }: Report, to: number) => `H${round(x(Date.parse(date) + to))}`
  const at = (report: Report, below: number) => `${round(y(heightBelow(report, below)))}`
  const [first] = run
  if (first === undefined) return ''
  const top = run.map((report) => `V${at(report, place + 1)}${step(report, DAY)}`)
  const bottom = run.toReversed().map((report) => `V${at(report, place)}${step(report, 0)}`)
  return `M${round(x(Date.parse(first.date)))} ${at(first, place)}${[...top, ...bottom].join('')}Z`
}
