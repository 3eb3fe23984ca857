import type { TokenDay } from '@touchstone402/shared'
import { Panel } from '../components/panel.tsx'
import { Table } from '../components/table.tsx'
import { plural } from '../format.ts'
import { formatAmount, unitOf } from './amounts.ts'

/** One hour of a day, and how much of it was read. */
export type Hour = TokenDay['pulse']['series'][number] & {
  /** `13:00`. */
  readonly name: string
  readonly read: 'all' | 'part' | 'none'
}

/** Width and height of a bar's place, and its greatest height, in view-box units. */
const STEP = 10
const HEIGHT = 100

/** Lists the hours of a day. */
export function listHours({ pulse: { series, window } }: TokenDay): Hour[] {
  return series.map((part, index) => {
    const { fromBlock: from, toBlock: to } = part
    const name = `${String(index).padStart(2, '0')}:00`
    if (from === null || to === null) return { ...part, name, read: 'all' }
    const touching = window.ranges.filter((range) => range.from <= to && range.to >= from)
    const isWhole = touching.some((range) => range.from <= from && range.to >= to)
    return { ...part, name, read: isWhole ? 'all' : touching.length > 0 ? 'part' : 'none' }
  })
}

const READ: Readonly<Record<Hour['read'], string>> = {
  all: '',
  part: ', read in part',
  none: 'not read',
}

/** The panel of the hours: a bar for each, and a table behind them. */
export function Hours({ day }: { readonly day: TokenDay }) {
  const hours = listHours(day)
  const most = Math.max(1, ...hours.map(({ transfers }) => transfers))
  const unit = unitOf(day.pulse.token)
  const describe = ({ transfers, volume, read }: Hour) =>
    read === 'none'
      ? READ.none
      : `${plural(transfers, 'transfer')} of ${formatAmount(volume)} ${unit}${READ[read]}`
  const busiest = hours.find(({ transfers }) => transfers === most)
  return (
    <Panel id="hours" title="Activity by hour">
      {busiest && (
        <p class="small muted">
          The tallest bar is {busiest.name}: {describe(busiest)}.
        </p>
      )}
      <svg
        class="hours"
        viewBox={`0 0 ${hours.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Transfers by hour; the values are in the table below"
      >
        {hours.map((hour, index) => {
          const isUnread = hour.read === 'none'
          const height = isUnread ? HEIGHT : Math.max(1, Math.round((HEIGHT * hour.transfers) / most))
          return (
            <rect
              class={isUnread ? 'unread' : undefined}
              x={index * STEP + 1}
              y={HEIGHT - height}
              width={STEP - 2}
              height={height}
            >
              <title>
                {hour.name} UTC: {describe(hour)}
              </title>
            </rect>
          )
        })}
      </svg>
      <p class="axis" aria-hidden="true">
        {['00:00', '06:00', '12:00', '18:00', '24:00'].map((time) => (
          <span>{time}</span>
        ))}
      </p>
      <details>
        <summary>Table of the hours</summary>
        <Table
          scroll="Activity by hour"
          rows={hours}
          columns={[
            { name: 'From (UTC)', cell: ({ name }) => name },
            {
              name: 'Transfers',
              isEnd: true,
              cell: ({ transfers, read }) =>
                read === 'none' ? READ.none : `${transfers.toLocaleString('en-US')}${READ[read]}`,
            },
            {
              name: `Amount (${unit})`,
              isEnd: true,
              cell: ({ volume, read }) => (read === 'none' ? '–' : formatAmount(volume)),
            },
          ]}
        />
      </details>
    </Panel>
  )
}
