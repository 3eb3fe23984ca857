import type { DailyMeasurements } from '../../domain/facts/dailyMeasurements.ts'
import { dayOf } from '../../domain/facts/dailyMeasurements.ts'
import type { Time } from '../../domain/facts/facts.ts'
import { DAY } from '../../domain/facts/times.ts'
import { formatDate } from '../format.ts'
import { plural } from '../text.ts'

/** What one day of probes came to. */
type DayCount = {
  readonly date: string
  readonly up: number
  readonly down: number
  readonly notMeasured: number
}
type Look = 'up' | 'mixed' | 'down' | 'not_measured' | 'none'

const DAYS = 90
const ROW = 30
const PITCH = 10
const WIDTH = 7
const HEIGHT = 46

/**
 * Ninety days of probes, a cell a day. The looks differ by shape as well as by colour: full, split, crossed, hollow, dot.
 * @param days of one endpoint, at most one a date
 */
export function ProbeCells({ days, now }: { days: readonly DailyMeasurements[]; now: Time }) {
  const cells = fillDays(days, now)
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
        <Legend look="up" text="up" />
        <Legend look="mixed" text="up and down" />
        <Legend look="down" text="down" />
        <Legend look="not_measured" text="not measured" />
        <Legend look="none" text="no probe" />
      </ul>
    </figure>
  )
}

function CellRow({ row }: { row: readonly DayCount[] }) {
  const count = (look: Look) => row.filter((day) => lookOf(day) === look).length
  const label = `${row[0]?.date} to ${row.at(-1)?.date}: ${plural(count('up'), 'day')} up, ${count('mixed')} up and down, ${count('down')} down, ${count('not_measured')} not measured, ${count('none')} without a probe`
  return (
    <svg viewBox={`0 0 ${ROW * PITCH} ${HEIGHT}`} role="img" aria-label={label}>
      {row.map((day, index) => (
        <Cell day={day} x={index * PITCH + (PITCH - WIDTH) / 2} />
      ))}
    </svg>
  )
}

function Cell({ day, x }: { day: DayCount; x: number }) {
  return (
    <g>
      <title>{describeDay(day)}</title>
      <CellShape look={lookOf(day)} x={x} downShare={day.down / Math.max(1, day.up + day.down)} />
    </g>
  )
}

function CellShape({ look, x, downShare = 0.4 }: { look: Look; x: number; downShare?: number }) {
  if (look === 'none') return <circle class="c-none" cx={x + WIDTH / 2} cy={HEIGHT - 3} r={1.6} />
  if (look === 'up') return <rect class="c-up" x={x} width={WIDTH} height={HEIGHT} rx={2} />
  if (look === 'not_measured') {
    return <rect class="c-gap" x={x + 0.5} y={0.5} width={WIDTH - 1} height={HEIGHT - 1} rx={2} />
  }
  const height = look === 'down' ? HEIGHT : Math.round(Math.min(0.7, Math.max(0.3, downShare)) * HEIGHT)
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

function Legend({ look, text }: { look: Look; text: string }) {
  return (
    <li>
      <svg viewBox={`0 0 ${WIDTH + 2} ${HEIGHT}`} aria-hidden="true">
        <CellShape look={look} x={1} />
      </svg>
      {text}
    </li>
  )
}

function lookOf({ up, down, notMeasured }: DayCount): Look {
  if (up > 0) return down > 0 ? 'mixed' : 'up'
  if (down > 0) return 'down'
  return notMeasured > 0 ? 'not_measured' : 'none'
}

function describeDay({ date, up, down, notMeasured }: DayCount): string {
  if (up + down + notMeasured === 0) return `${date}: no probe`
  const parts = [`${up} up`, `${down} down`]
  if (notMeasured > 0) parts.push(`${notMeasured} not measured`)
  return `${date}: ${parts.join(', ')}`
}

function fillDays(days: readonly DailyMeasurements[], now: Time): DayCount[] {
  const known = new Map(days.map((day) => [day.date, day]))
  return Array.from({ length: DAYS }, (_, index) => {
    const date = dayOf(now - (DAYS - 1 - index) * DAY)
    return known.get(date) ?? { date, up: 0, down: 0, notMeasured: 0 }
  })
}
