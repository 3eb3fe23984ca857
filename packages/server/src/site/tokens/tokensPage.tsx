import type { Flow, Momentum, Pulse, Whales } from '@touchstone402/shared'
import { OPERATIONS } from '@touchstone402/shared'
import type { Page } from '../../http/deps.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Moment, Snippet } from '../components/prose.tsx'
import { curlCall } from '../docs/samples.ts'
import { formatUsd } from '../format.ts'
import { listOperations } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { TOKENS_PATH } from '../paths.ts'
import recorded from './recordedWindow.json' with { type: 'json' }
import { describeFlow, describeMomentum, describePulse, describeWhales } from './tokenPanels.tsx'

/** The four token answers about one window. */
export type TokenWindowAnswers = {
  readonly pulse: Pulse
  readonly whales: Whales
  readonly flow: Flow
  readonly momentum: Momentum
}

/** A day of a test chain, as the service answers about it. A test records it again and compares. */
export const RECORDED_WINDOW = recorded as TokenWindowAnswers

type Deps = Pick<PageDeps, 'publicUrl' | 'prices'>
type TokenOperation = 'pulse' | 'whales' | 'flow' | 'momentum'

const QUESTIONS: Readonly<Record<TokenOperation, string>> = {
  pulse: 'How busy is it?',
  whales: 'Who moves a lot at once?',
  flow: 'Who gathers it, and who gives it up?',
  momentum: 'Is it more than before?',
}

/** Creates the page of the token operations, drawn from a recorded window. */
export function createTokensPage(deps: Deps): Page {
  const page = answerHtml(<TokensPage {...deps} />)
  return { path: TOKENS_PATH, handler: () => page }
}

function TokensPage({ publicUrl, prices }: Deps) {
  const { pulse, whales, flow, momentum } = RECORDED_WINDOW
  const findings = {
    pulse: describePulse(pulse),
    whales: describeWhales(whales, pulse),
    flow: describeFlow(flow),
    momentum: describeMomentum(momentum),
  }
  const operations = listOperations({ ...(prices && { prices }) })
  return (
    <Layout
      title="What a token did: four answers about any ERC-20 token"
      description="Activity, large transfers, net flow and change of any ERC-20 token, bought call by call."
      path={TOKENS_PATH}
      publicUrl={publicUrl}
    >
      <h1>What did this token do today?</h1>
      <p class="lede">
        Four answers about any ERC-20 token of the network, computed from every transfer in a window of five
        minutes to a day. They are drawn here from a recorded day of a test chain, until{' '}
        <Moment at={pulse.window.toTime} />: real answers of this service, about made-up transfers.
      </p>
      <div class="stack">
        {(Object.keys(QUESTIONS) as TokenOperation[]).map((id) => {
          const { title, view } = findings[id]
          const operation = operations.find((one) => one.id === id)
          return (
            <Panel
              id={id}
              title={title}
              extra={<span class="chip">{formatUsd(operation?.priceUsd ?? null)} per call</span>}
            >
              <p class="question">
                {QUESTIONS[id]} <code>GET {OPERATIONS[id].path}</code>
              </p>
              {view}
              <p class="small">
                <a href={`/docs#${id}`}>Query and answer</a> ·{' '}
                <a href={`${OPERATIONS[id].path}?token=${pulse.token.address}`}>How to pay for it</a>
              </p>
            </Panel>
          )
        })}
        <Panel id="buy" title="Buy one">
          <p>
            No account: a call without payment answers 402 with its terms, and any x402 client pays them. A
            window that cannot be read in full is not charged.
          </p>
          {operations
            .filter(({ id }) => id === 'pulse')
            .map((operation) => (
              <Snippet label="Terms with curl" code={curlCall(operation, publicUrl)} />
            ))}
        </Panel>
      </div>
    </Layout>
  )
}
