import { type Flow, type Momentum, type Pulse, quoteSymbol, type Whales } from '@touchstone402/shared'
import { Address } from '../components/prose.tsx'
import { type Column, Table } from '../components/table.tsx'
import { plural } from '../format.ts'
import { amountOf, formatChange, formatHour, formatShare, formatWhole, largestFlows } from './tokenFigures.ts'
import { PartBars, partsOf, SignedBar, TransferDots } from './tokenPlots.tsx'

/** The finding of an answer in one line, and what shows it. */
export type TokenFinding = { readonly title: string; readonly view: preact.ComponentChild }

const SHOWN_FLOWS = 8
const unitOf = ({ token: { symbol } }: Pick<Pulse, 'token'>) =>
  symbol === null ? 'tokens' : quoteSymbol(symbol)

/** Activity over time. */
export function describePulse(pulse: Pulse): TokenFinding {
  const counts = partsOf(pulse, ({ transfers }) => transfers)
  const volumes = partsOf(pulse, ({ volume }) => amountOf(volume))
  const busiest = counts.reduce((most, part) => (part.value > most.value ? part : most))
  const unit = unitOf(pulse)
  return {
    title: `${plural(pulse.transfers, 'transfer')}, busiest around ${formatHour(busiest.from)} UTC`,
    view: (
      <div class="pair broad">
        <figure>
          <figcaption class="small">
            Transfers per hour: {plural(pulse.transfers, 'transfer')} in all
          </figcaption>
          <PartBars title={`Transfers per hour: ${pulse.transfers} in all`} parts={counts} isCount />
        </figure>
        <figure>
          <figcaption class="small">
            {unit} per hour: {formatWhole(amountOf(pulse.volume))} in all, by {pulse.uniqueAddresses}{' '}
            addresses
          </figcaption>
          <PartBars
            title={`${unit} per hour: ${formatWhole(amountOf(pulse.volume))} in all`}
            parts={volumes}
          />
        </figure>
      </div>
    ),
  }
}

/** Large transfers. */
export function describeWhales(whales: Whales, pulse: Pulse): TokenFinding {
  const unit = unitOf(whales)
  const share = formatShare(amountOf(whales.matchedVolume), amountOf(pulse.volume))
  const title = `${plural(whales.matched, 'transfer')} moved ${share} of the volume`
  return {
    title,
    view: (
      <div class="pair broad">
        <figure>
          <figcaption class="small">
            Transfers of {formatWhole(amountOf(whales.threshold))} {unit} or more
          </figcaption>
          <TransferDots title={title} whales={whales} />
        </figure>
        <Table
          isCards
          rows={whales.rows.slice(0, 5)}
          columns={[
            {
              name: 'Time',
              class: 'nowrap',
              cell: ({ time }) => formatHour(time),
            },
            {
              name: 'From and to',
              share: 'whole',
              cell: ({ from, to }) => (
                <>
                  <Address value={from.address} /> → <Address value={to.address} />
                </>
              ),
            },
            { name: unit, isEnd: true, cell: (row) => formatWhole(amountOf(row)) },
          ]}
        />
      </div>
    ),
  }
}

/** Net flow. */
export function describeFlow(flow: Flow): TokenFinding {
  const rows = largestFlows(flow, SHOWN_FLOWS)
  const [first] = rows
  const most = Math.max(...rows.map(({ net }) => Math.abs(amountOf(net))), 0)
  const lost = first !== undefined && amountOf(first.net) < 0
  const whole = amountOf(lost ? flow.totals.distributed : flow.totals.accumulated)
  const share = formatShare(most, whole)
  const columns: Column<(typeof rows)[number]>[] = [
    { name: 'Address', cell: ({ address }) => <Address value={address} /> },
    {
      name: 'Lost or gained',
      share: 'whole',
      class: 'bar',
      cell: ({ net }) => <SignedBar value={amountOf(net)} most={most} />,
    },
    {
      name: 'Net',
      isEnd: true,
      cell: ({ net }) => formatWhole(amountOf(net)),
    },
    { name: 'In', isEnd: true, cell: ({ inCount }) => inCount },
    { name: 'Out', isEnd: true, cell: ({ outCount }) => outCount },
  ]
  return {
    title: `One address accounts for ${share} of all that was ${lost ? 'given up' : 'gained'}`,
    view: (
      <>
        <p class="small muted">
          The {rows.length} largest net flows of {flow.addresses} addresses, in {unitOf(flow)}; In and Out
          count transfers.
        </p>
        <Table isCards rows={rows} columns={columns} />
      </>
    ),
  }
}

const METRICS = {
  transfers: 'Transfers',
  uniqueAddresses: 'Addresses',
  volume: 'Volume',
  median: 'Median transfer',
  largest: 'Largest transfer',
} as const

/** Change against the window before. */
export function describeMomentum(momentum: Momentum): TokenFinding {
  const { metrics, direction } = momentum
  const rows = (Object.keys(METRICS) as (keyof typeof METRICS)[]).map((name) => ({ name, ...metrics[name] }))
  const most = Math.max(...rows.map(({ pct }) => Math.abs(pct ?? 0)), 0)
  const show = (value: (typeof rows)[number]['current']) =>
    formatWhole(typeof value === 'number' ? value : amountOf(value))
  const columns: Column<(typeof rows)[number]>[] = [
    { name: 'Figure', cell: ({ name }) => METRICS[name] },
    {
      name: 'Change',
      share: 'whole',
      class: 'bar',
      cell: ({ pct }) => <SignedBar value={pct ?? 0} most={most} />,
    },
    { name: 'Percent', isEnd: true, cell: ({ pct }) => formatChange(pct) },
    { name: 'Before', isEnd: true, cell: ({ previous }) => show(previous) },
    { name: 'Now', isEnd: true, cell: ({ current }) => show(current) },
  ]
  const change = (name: 'transfers' | 'volume') => formatChange(metrics[name].pct)
  return {
    title: `Transfers ${change('transfers')}, volume ${change('volume')}: ${direction.word}`,
    view: (
      <>
        <p class="small muted">Against the day before, in {unitOf(momentum)} where it is an amount.</p>
        <Table isCards rows={rows} columns={columns} />
      </>
    ),
  }
}
