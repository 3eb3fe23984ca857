import { findNetwork, type TokenList } from '@touchstone402/shared'
import type { Page } from '../../http/deps.ts'
import { describeTokens, tokenUrl } from '../../tokens/describeToken.ts'
import { sayWarnings } from '../../tokens/warnings.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Address, Day, Seller } from '../components/prose.tsx'
import { Table } from '../components/table.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { TOKENS_PATH } from '../paths.ts'

/** Creates `/tokens`: the tokens whose last finished day is read. */
export function createTokenListPage(deps: PageDeps): Page {
  return {
    path: TOKENS_PATH,
    isShared: true,
    handler: async ({ accepts }) => {
      const list = await describeTokens(deps, deps.clock.now())
      return accepts === 'json' ? answerJson(list) : answerHtml(<Tokens {...deps} list={list} />)
    },
  }
}

const MAX_NAME = 40

function Tokens({ list: { tokens }, ...deps }: PageDeps & { readonly list: TokenList }) {
  const { network } = deps.config
  const chain = findNetwork(network)?.label ?? network
  const description = `The last finished day of ERC-20 tokens on ${chain}: activity, net flow by address and the largest transfers.`
  return (
    <Layout
      {...deps}
      title={`Tokens on ${chain}, last finished day`}
      description={description}
      path={TOKENS_PATH}
    >
      <h1>Tokens</h1>
      <p class="lede">
        {description} Free, once a day. A token that is paid for joins the list for a week; live windows are{' '}
        <a href="/docs#pulse">paid calls</a>.
      </p>
      <Panel id="tokens" title="Last finished day, by token">
        <Table
          scroll="Tokens"
          empty="No token is read here."
          rows={tokens}
          columns={[
            {
              name: 'Token',
              cell: ({ token, symbol, name }) => (
                <>
                  <a href={tokenUrl('', token)}>
                    {symbol === null ? <Address value={token} /> : <Seller text={symbol} max={MAX_NAME} />}
                  </a>
                  {name !== null && (
                    <span class="muted small">
                      {' '}
                      <Seller text={name} max={MAX_NAME} />
                    </span>
                  )}
                  {symbol !== null && (
                    <span class="muted small">
                      {' '}
                      <Address value={token} />
                    </span>
                  )}
                </>
              ),
            },
            {
              name: 'Day (UTC)',
              share: 'half',
              cell: ({ date }) => (date === null ? 'not read yet' : <Day at={date} />),
            },
            {
              name: 'In one sentence',
              share: 'whole',
              cell: ({ summary, isComplete, date, warnings }) => (
                <>
                  {warnings.length > 0 && <strong>{sayWarnings(warnings).join(' ')} </strong>}
                  {summary && <Seller text={summary} max={200} />}
                  {date !== null && !isComplete && <span class="muted"> Not complete.</span>}
                </>
              ),
            },
          ]}
        />
      </Panel>
    </Layout>
  )
}
