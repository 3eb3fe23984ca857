import { MINUTE } from '../facts/times.ts'
import type { Page } from '../http/deps.ts'
import { countOverdue } from '../owners/disputes.ts'
import { keepMade } from '../readModel/keepMade.ts'
import { answerHtml } from './answerHtml.tsx'
import { Layout } from './components/layout.tsx'
import { Panel } from './components/panel.tsx'
import { formatUsd, plural } from './format.ts'
import { listOperations } from './operations.ts'
import type { PageDeps } from './pageDeps.ts'
import { ABOUT_PATH, LOG_PATH } from './paths.ts'

/** Creates `/about`: who runs this instance, how it is paid for, and what a verdict cannot tell. */
export function createAboutPage(deps: PageDeps): Page {
  const { readModel, clock } = deps
  // The disputes of all hosts are read for it.
  const overdue = keepMade({ readModel, clock, make: () => countOverdue(deps), restMs: MINUTE })
  return {
    path: ABOUT_PATH,
    isShared: true,
    handler: async () => answerHtml(<About {...deps} overdue={await overdue.get()} />),
  }
}

function About({ overdue, ...deps }: PageDeps & { readonly overdue: number }) {
  const { name, contact } = deps.config.operator
  const { host } = new URL(deps.config.publicUrl)
  const prices = listOperations(deps).flatMap(({ priceUsd }) => priceUsd ?? [])
  const reach = <a href={contact}>{contact.replace(/^(mailto|https):(\/\/)?/, '')}</a>
  return (
    <Layout
      {...deps}
      title="About this instance of Touchstone"
      description={`Who runs ${host}, how it is paid for, and what a verdict cannot tell.`}
      path={ABOUT_PATH}
    >
      <h1>About this instance</h1>
      <div class="stack document">
        <Panel id="operator" title="Who runs it">
          <p>
            {name} runs the service at {host}. Contact: {reach}.
          </p>
          <p>
            Nobody can buy a verdict, a place in a list or an answer to a dispute. The service lives on its
            paid operations, from {formatUsd(Math.min(...prices))} to {formatUsd(Math.max(...prices))} each,
            in USDC through x402. <a href="/docs">What they are</a>
          </p>
        </Panel>
        <Panel id="limits" title="What a verdict cannot tell">
          <ul>
            <li>What happens next: an endpoint can change its receiver a second after it was probed.</li>
            <li>
              Whether an answer is right. Only test purchases show delivery, and most endpoints have none.
            </li>
            <li>
              What others get: a seller may send other terms to known addresses of probes than to its buyers.
            </li>
            <li>Who owns a receiver: a chain shows payments, not people. Receivers are read on Base only.</li>
            <li>
              That the operator is honest. Verdicts are signed, and <a href={LOG_PATH}>the log</a> shows if
              one is taken back. From the second day after its last probe you can{' '}
              <a href={`${LOG_PATH}#recompute`}>recompute a verdict</a> from published probes.
            </li>
          </ul>
        </Panel>
        <Panel id="disputes" title="A verdict is wrong">
          <p>
            From the page of a host its owner can claim it, re-check it, announce a receiver, reply, or
            dispute a finding. Everyone else: write to {reach}, and quote the ids under the finding.
          </p>
          <p>
            {plural(overdue, 'dispute')} {overdue === 1 ? 'is' : 'are'} overdue; answers are promised within{' '}
            {plural(deps.config.disputeDays, 'day')}.
          </p>
        </Panel>
        <Panel id="security" title="Security and source">
          <p>
            Report a vulnerability to the contact in <a href="/.well-known/security.txt">security.txt</a>,
            before it is public. The guard, <code>@touchstone402/guard</code>, is a library of the same
            source; it is not on npm yet, and is packed from a clone.
          </p>
        </Panel>
      </div>
    </Layout>
  )
}
