import type { TokenDay, TokenPage } from '@touchstone402/shared'
import { explorerUrl, findNetwork } from '@touchstone402/shared'
import { tokenUrl } from '../../tokens/describeToken.ts'
import { type Definition, Definitions, Panel } from '../components/panel.tsx'
import { Moment, OutLink } from '../components/prose.tsx'
import { plural } from '../format.ts'
import { formatAmount, unitOf } from './amounts.ts'

const grouped = (count: number) => count.toLocaleString('en-US')

/** Whether both days were read in full, so that they can be compared. */
const isComparable = ({ pulse, momentum }: TokenDay) =>
  pulse.window.complete && momentum.previousWindow.complete

/** Says a day in one sentence, compared with the day before. */
export function sayDay(day: TokenDay): string {
  const { pulse, momentum } = day
  const { transfers, uniqueAddresses, volume } = pulse
  if (transfers === 0) return `No transfers on ${day.date} (UTC).`
  const who = plural(uniqueAddresses, 'address', 'addresses')
  const moved = `${plural(transfers, 'transfer')} by ${who} moved ${formatAmount(volume)} ${unitOf(pulse.token)}`
  return `${moved}${isComparable(day) ? compare(momentum.metrics.volume.pct) : ''}.`
}

function compare(pct: number | null): string {
  if (pct === null) return ', after nothing the day before'
  if (pct === 0) return ', as much as the day before'
  const shown = Math.abs(pct).toLocaleString('en-US', { maximumFractionDigits: Math.abs(pct) < 10 ? 1 : 0 })
  if (shown === '0') return ', about as much as the day before'
  return `, ${shown}% ${pct > 0 ? 'more' : 'less'} than the day before`
}

/** The panel of what was read, what was left out, and where else to look. */
export function DayFacts({ page, day }: { readonly page: TokenPage; readonly day: TokenDay }) {
  const { pulse, momentum } = day
  const { volume, volumeWithoutRoundTrips: without, token } = pulse
  const unit = unitOf(token)
  const roundTrips = BigInt(volume.raw) - BigInt(without.raw)
  const { transfers, volume: change } = momentum.metrics
  const path = tokenUrl('', page.token)
  const explorer = explorerUrl(page.network, 'address', page.token)
  const list: Definition[] = [
    {
      term: 'Day before',
      text: isComparable(day)
        ? `${plural(transfers.previous, 'transfer')} moved ${formatAmount(change.previous)} ${unit}; direction by rule: ${momentum.direction.word}`
        : 'Not compared: one of the two days was not read in full.',
    },
    {
      term: 'Round trips',
      text:
        roundTrips === 0n
          ? 'None.'
          : `Without what came back to its sender, transfers to oneself included, it is ${formatAmount(without)} ${unit}.`,
    },
    {
      term: 'Minted, burned',
      text: `${sayMoved(pulse.mint, 'mint')}, ${sayMoved(pulse.burn, 'burn')}`,
    },
    { term: 'Transfers of zero', text: grouped(pulse.zeroValueTransfers) },
    ...(pulse.caveats.length === 0
      ? []
      : [{ term: 'Caveats', text: pulse.caveats.map((caveat) => <p>{caveat}</p>) }]),
    {
      term: 'Contract',
      text: (
        <>
          <code>{page.token}</code> on {findNetwork(page.network)?.label ?? page.network}
          {explorer !== null && (
            <>
              {' · '}
              <OutLink href={explorer}>Explorer</OutLink>
            </>
          )}
        </>
      ),
    },
    {
      term: 'Data',
      text: (
        <>
          <a href={`${path}.json`}>JSON</a> · <a href={`${path}.csv`}>CSV of the hours</a> · read{' '}
          <Moment at={day.readAt} />
        </>
      ),
    },
  ]
  return (
    <Panel id="read" title="What the figures leave out">
      <Definitions class="terms" list={list} />
    </Panel>
  )
}

const sayMoved = (moved: TokenDay['pulse']['mint'], noun: string) =>
  moved.count === 0 ? `no ${noun}` : `${formatAmount(moved)} by ${plural(moved.count, noun)}`

/** Says whether a day was read in full, and which blocks were. */
export function sayCoverage({ pulse: { window } }: TokenDay): string {
  const { fromBlock, toBlock, ranges, complete, truncated } = window
  const total = toBlock - fromBlock + 1
  const read = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const blocks = `blocks ${grouped(fromBlock)} to ${grouped(toBlock)}`
  if (complete) return `Complete: all ${blocks} were read, the final ones twice with the same result.`
  if (read === total) return `Not complete yet: all ${blocks} were read, but a second reading has not agreed.`
  const why = truncated
    ? 'the day has more transfers than one answer may cover'
    : 'there was no time for the others'
  return `Not complete: ${grouped(read)} of the ${plural(total, 'block')} were read: ${why}. Every figure here is about those alone.`
}
