import type { DailyMeasurements } from '../../domain/facts/dailyMeasurements.ts'
import type { Time } from '../../domain/facts/facts.ts'
import { formatDate, lastDays } from '../format.ts'

type DayCount = Pick<DailyMeasurements, 'date' | 'up' | 'down' | 'notMeasured'>
type DayState = keyof typeof STATE_NAMES

const STATE_NAMES = {
  up: 'up',
  mixed: 'up and down',
  down: 'down',
  not_measured: 'not measured',
  none: 'no probe',
}
const STATES = Object.keys(STATE_NAMES) as DayState[]

const DAYS = 90
const ROW = 30
const PITCH = 10
const WIDTH = 7
const HEIGHT = 46

/**
 * Ninety days of probes, one cell per day. States differ by shape as well as by colour: full, split, crossed, hollow, dot.
 * @param days days of one endpoint, at most one entry per date
 */
export function ProbeCells({ days, now }: { days: readonly DailyMeasurements[]; now: Time }) {
  const known = new Map(days.map((day) => [day.date, day]))
  const cells = lastDays(DAYS, now).map((date) => known.get(date) ?? { date, up: 0, down: 0, notMeasured: 0 })
  const rows = Array.from({ length: DAYS / ROW }, (_, row) => cells.slice(row * ROW, (row + 1) * ROW))
  return (
    <figure>
      <div class="cells">
        {rows.map((row) => (
          <CellRow row={row} />
        ))}
      </div>
      <p class="axis">
        <span>{formatDate(Date.parse(cells[0]?.date ?? ''))}</span>
        <span>{formatDate(now)}</span>
      </p>
      <ul class="legend">
        {STATES.map((state) => (
          <li>
            <svg viewBox={`0 0 ${WIDTH + 2} ${HEIGHT}`} aria-hidden="true">
              <CellShape state={state} x={1} />
            </svg>
            {STATE_NAMES[state]}
          </li>
        ))}
      </ul>
    </figure>
  )
}

function CellRow({ row }: { row: readonly DayCount[] }) {
  const counts = STATES.map(
    (state) => `${row.filter((day) => stateOf(day) === state).length} ${STATE_NAMES[state]}`,
  )
  return (
    <svg
      viewBox={`0 0 ${ROW * PITCH} ${HEIGHT}`}
      role="img"
      aria-label={`Days from ${row[0]?.date} to ${row.at(-1)?.date}: ${counts.join(', ')}`}
    >
      {row.map((day, index) => (
        <g>
          <title>{describeDay(day)}</title>
          <CellShape
            state={stateOf(day)}
            x={index * PITCH + (PITCH - WIDTH) / 2}
            downShare={day.down / Math.max(1, day.up + day.down)}
          />
        </g>
      ))}
    </svg>
  )
}

function CellShape({ state, x, downShare = 0.4 }: { state: DayState; x: number; downShare?: number }) {
  if (state === 'none') return <circle class="c-none" cx={x + WIDTH / 2} cy={HEIGHT - 3} r={1.6} />
  if (state === 'up') return <rect class="c-up" x={x} width={WIDTH} height={HEIGHT} rx={2} />
  if (state === 'not_measured') {
    return <rect class="c-gap" x={x + 0.5} y={0.5} width={WIDTH - 1} height={HEIGHT - 1} rx={2} />
  }
  const height = state === 'down' ? HEIGHT : Math.round(Math.min(0.7, Math.max(0.3, downShare)) * HEIGHT)
  const top = HEIGHT - height
  const middle = top + height / 2
  return (
    <>
      {top > 0 && <rect class="c-up" x={x} width={WIDTH} height={top - 1.5} rx={2} />}
      <rect class="c-down" x={x} y={top} width={WIDTH} height={height} rx={2} />
      <path
        class="c-x"
        d={`M${x + 1.7} ${middle - 1.8}l${WIDTH - 3.4} ${WIDTH - 3.4}m0 -${WIDTH - 3.4}l-${WIDTH - 3.4} ${WIDTH - 3.4}`}
      />
    </>
  )
}

function stateOf({ up, down, notMeasured }: DayCount): DayState {
  if (up > 0) return down > 0 ? 'mixed' : 'up'
  if (down > 0) return 'down'
  return notMeasured > 0 ? 'not_measured' : 'none'
}

function describeDay({ date, up, down, notMeasured }: DayCount): string {
  if (up + down + notMeasured === 0) return `${date}: no probe`
  return `${date}: ${up} up, ${down} down${notMeasured > 0 ? `, ${notMeasured} not measured` : ''}`
}
