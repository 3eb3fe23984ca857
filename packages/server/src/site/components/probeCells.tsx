import type { DailyMeasurements } from '../../facts/dailyMeasurements.ts'
import type { Time } from '../../facts/facts.ts'
import { formatDate, lastDays, plural } from '../format.ts'

const STATES = { up: 'up', mixed: 'up and down', down: 'down', gap: 'not measured', none: 'without a probe' }
type DayState = keyof typeof STATES

const DAYS = 90

/**
 * Ninety days of probes, one cell per day. States differ by height as well as by colour.
 * @param days days of one endpoint, at most one entry per date
 */
export function ProbeCells({ days, now }: { days: readonly DailyMeasurements[]; now: Time }) {
  const known = new Map(days.map((day) => [day.date, day]))
  const cells = lastDays(DAYS, now).map((date) => stateOf(known.get(date)))
  const counts = Object.entries(STATES).flatMap(([state, name]) => {
    const count = cells.filter((cell) => cell === state).length
    return count === 0 ? [] : { state, text: `${plural(count, 'day')} ${name}` }
  })
  return (
    <figure>
      <p class="cells" aria-hidden="true">
        {cells.map((state) => (
          <i data-day={state} />
        ))}
      </p>
      <p class="axis">The last 90 days, to {formatDate(now)}</p>
      <ul class="legend">
        {counts.map(({ state, text }) => (
          <li>
            <i data-day={state} />
            {text}
          </li>
        ))}
      </ul>
    </figure>
  )
}

function stateOf(day: DailyMeasurements | undefined): DayState {
  const { up = 0, down = 0, notMeasured = 0 } = day ?? {}
  if (up > 0) return down > 0 ? 'mixed' : 'up'
  if (down > 0) return 'down'
  return notMeasured > 0 ? 'gap' : 'none'
}
