import { ADDRESS_PATTERN, findNetwork, OPERATIONS, type TokenPage, writeCsv } from '@touchstone402/shared'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../lib/problemError.ts'
import { describeToken, TOKEN_OPERATIONS, tokenUrl } from '../../tokens/describeToken.ts'
import { findImitations, sayWarnings } from '../../tokens/warnings.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Address, Moment, Seller, Snippet } from '../components/prose.tsx'
import { formatUsd } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { payCommand } from '../reference/guide.tsx'
import { cleanText, shortenAddress } from '../text.ts'
import { DayFacts, sayCoverage, sayDay } from './dayFacts.tsx'
import { Flows } from './flows.tsx'
import { Hours, listHours } from './hours.tsx'
import { LargestTransfers } from './transfers.tsx'

const MAX_AGE_SECONDS = 300
/** Characters of a name or symbol that are shown. */
const MAX_NAME = 40

/** Creates `/tokens/{address}`, and its hours as CSV. They read the stored day, and never the chain. */
export function createTokenPages(deps: PageDeps): Page[] {
  const read = (address: string) => {
    if (!ADDRESS_PATTERN.test(address))
      throw new ProblemError(404, 'unknown_token', 'The address of a token is 0x and 40 hexadecimal digits.')
    return describeToken(deps, address, deps.clock.now())
  }
  const options = { maxAgeSeconds: MAX_AGE_SECONDS }
  return [
    {
      path: '/tokens/:address.csv',
      handler: async ({ params: { address = '' } }) => {
        const { day } = await read(address)
        if (day === null) throw new ProblemError(404, 'no_day', 'No day of this token was read.')
        const rows = listHours(day).map(({ name, read, transfers, volume }) => [
          `${day.date}T${name}:00Z`,
          read,
          transfers,
          volume.raw,
          volume.amount,
        ])
        const body = writeCsv([['hour', 'read', 'transfers', 'volume_raw', 'volume'], ...rows])
        return { ...options, type: 'text/csv; charset=utf-8', body }
      },
    },
    {
      path: '/tokens/:address',
      handler: async ({ params: { address = '' }, accepts }) => {
        const page = await read(address)
        return accepts === 'json'
          ? answerJson(page, options)
          : answerHtml(<Token page={page} deps={deps} />, options)
      },
    },
  ]
}

/** Says why a page shows no day. */
function sayNothing({ isCovered, failure }: TokenPage): string {
  if (failure !== null) return 'No day of this token could be read.'
  if (isCovered) return 'The last finished day of this token is being read. Come back in some minutes.'
  return 'There is no free page about this token yet: its days are read for a week after somebody pays for one of the calls below.'
}

type TokenProps = { readonly page: TokenPage; readonly deps: PageDeps }

function Token({ page, deps }: TokenProps) {
  const { token, day, failure, network } = page
  const { symbol, name } = day?.pulse.token ?? { symbol: null, name: null }
  const short = symbol === null ? shortenAddress(token) : cleanText(symbol, MAX_NAME)
  const sentence = day === null ? sayNothing(page) : sayDay(day)
  const imitation = sayWarnings(findImitations(day?.pulse.token.warnings ?? []))
  const chain = findNetwork(network)?.label ?? network
  return (
    <Layout
      {...deps}
      title={day === null ? `${short} on ${chain}` : `${short} on ${chain}, ${day.date}`}
      description={[...imitation, sentence].join(' ')}
      path={tokenUrl('', token)}
      isUnlisted={day === null || imitation.length > 0}
    >
      <h1>
        <bdi dir="auto">{short}</bdi>
        {day !== null && (
          <>
            , <span class="nowrap">{day.date} (UTC)</span>
          </>
        )}
      </h1>
      {imitation.length > 0 && <p class="notice">{imitation.join(' ')}</p>}
      <p class="lede">{sentence}</p>
      <p class="small muted">
        {name !== null && (
          <>
            <Seller text={name} max={MAX_NAME} />{' '}
          </>
        )}
        on {chain}, <Address value={token} network={network} />.
        {day !== null && ' Name and symbol are what the contract reports.'}
      </p>
      {day !== null && <p class="small">{sayCoverage(day)}</p>}
      {failure !== null && (
        <p class="notice">
          {failure.date} could not be read (<Moment at={failure.at} />
          ): {failure.reason}
        </p>
      )}
      <div class="stack">
        {day !== null && (
          <>
            <Hours day={day} />
            <Flows day={day} network={network} />
            <LargestTransfers day={day} network={network} />
            <DayFacts page={page} day={day} />
          </>
        )}
        <Live page={page} />
      </div>
    </Layout>
  )
}

/** The panel of the paid calls. */
function Live({ page: { live } }: { readonly page: TokenPage }) {
  return (
    <Panel id="now" title="Now">
      <p>
        A paid call reads the blocks up to the newest one, over a window of 5 minutes to 24 hours. It is paid
        through x402, in USDC; an unpaid call shows the terms. <a href="/docs#pulse">Guide</a>
      </p>
      {TOKEN_OPERATIONS.map((id) => {
        const call = live.find(({ operation }) => operation === id)
        if (call === undefined) return null
        const { path, summary } = OPERATIONS[id]
        return (
          <article class="operation">
            <h3>
              <code>{path}</code> <span class="chip">{formatUsd(call.priceUsd)}</span>
            </h3>
            <p class="small">{summary}</p>
            <Snippet label={`Pay ${path}`} code={payCommand(call.url, call.priceUsd)} />
          </article>
        )
      })}
    </Panel>
  )
}
