import { DAY } from '../../facts/times.ts'
import { Panel } from '../components/panel.tsx'
import { EndpointName } from '../components/prose.tsx'
import { Table } from '../components/table.tsx'
import { plural } from '../format.ts'
import type { ProfileView } from './loadProfile.ts'
import { isEmpty, readTimeline, type Timeline } from './timeline.ts'
import { TimelineDrawing } from './timelineDrawing.tsx'

/** The endpoint in focus in one picture: uptime, price, receiver, and what happened; with the same values as a table. */
export function TimelinePanel({ view }: { readonly view: ProfileView }) {
  const { focus, endpoints } = view
  const timeline = readTimeline({ ...view, state: focus.state })
  const days = plural(Math.round((timeline.to - timeline.from) / DAY), 'day')
  const title = `${days} in one picture`
  return (
    <Panel
      id="picture"
      title={title}
      extra={endpoints.length > 1 && <EndpointName url={focus.state.endpoint} max={80} />}
    >
      {isEmpty(timeline) ? (
        <p class="empty">Nothing was measured yet.</p>
      ) : (
        <Picture timeline={timeline} label={title} />
      )}
    </Panel>
  )
}

type PictureProps = { readonly timeline: Timeline; readonly label: string }

function Picture({ timeline, label }: PictureProps) {
  return (
    <figure>
      <TimelineDrawing
        timeline={timeline}
        label={`${label}: uptime, price, receiver. The table below has the values.`}
      />
      <Legend timeline={timeline} />
      <details>
        <summary>The values as a table</summary>
        <Table scroll="Values of the picture" rows={listValues(timeline)} columns={COLUMNS} />
      </details>
    </figure>
  )
}

/** Every receiver and pin in words, since a phone shows no value on hover. */
function Legend({ timeline: { receivers, pins } }: { readonly timeline: Timeline }) {
  return (
    <ul class="legend">
      {receivers.length > 1 &&
        receivers.map(({ color, text }) => (
          <li>
            <i class={`t-key r${color}`} />
            {text}
          </li>
        ))}
      {pins.map(({ kind, text, href }) => (
        <li>
          <i class={`t-key p-${kind}`} />
          {href === undefined ? text : <a href={href}>{text}</a>}
        </li>
      ))}
    </ul>
  )
}

type Row = { readonly what: string; readonly text: string }

const COLUMNS = [
  { name: 'Of', cell: ({ what }: Row) => what },
  { name: 'Value', share: 'whole' as const, cell: ({ text }: Row) => text },
]

/** Lists all values; days in a row that came to the same are one. */
function listValues({ days, prices, receivers, pins }: Timeline): Row[] {
  const runs: { first: string; last: string; outcome: string }[] = []
  for (const { date, outcome } of days) {
    const run = runs.at(-1)
    const isNext = run !== undefined && Date.parse(date) - Date.parse(run.last) === DAY
    if (isNext && run.outcome === outcome) run.last = date
    else runs.push({ first: date, last: date, outcome })
  }
  return [
    ...prices.map(({ text }) => ({ what: 'Price', text })),
    ...receivers.map(({ text }) => ({ what: 'Receiver', text })),
    ...pins.map(({ text }) => ({ what: 'Event', text })),
    ...runs.map(({ first, last, outcome }) => ({
      what: 'Uptime',
      text: first === last ? `${first}: ${outcome}` : `${first} to ${last}: ${outcome}, each day`,
    })),
  ]
}
