import { SCORE_SPEC } from '../../domain/publish/scoreSpec.ts'
import type { Page } from '../../http/deps.ts'
import { answerHtml } from '../answerHtml.tsx'
import { INCIDENT_NAMES } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Table } from '../components/table.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { formatPoints } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { Flags, Thresholds } from './flags.tsx'

/** Creates the methodology page from the specification that the scorer uses. */
export function createMethodologyPage({ publicUrl }: PageDeps): Page {
  const answer = answerHtml(<Methodology publicUrl={publicUrl} />)
  return { path: '/methodology', handler: () => answer }
}

function Methodology({ publicUrl }: { publicUrl: string }) {
  const names: Readonly<Record<string, string>> = INCIDENT_NAMES
  const { version, verdictRules, factors, bands, caps, changelog } = SCORE_SPEC
  return (
    <Layout
      title={`Methodology: trust score ${version}`}
      description="How Touchstone measures x402 endpoints and reaches a verdict: factors, flags, caps, thresholds, versions."
      path="/methodology"
      publicUrl={publicUrl}
    >
      <h1>How a verdict is reached</h1>
      <p class="lede">
        With x402 a program pays for a web request: the server answers 402 with a price and a receiver, the
        client signs a payment and asks again. Nothing in that says whether the receiver is honest.
      </p>
      <p class="lede">
        The score measures how much good evidence there is. The risk level is that of the worst finding. The
        verdict follows the worse of the two: where flags decide against the score, it is not shown, and
        answers name the flags in <code>overruledBy</code>. A single bad probe never decides: a fault counts
        once a probe from another client confirms it. This is version {version}, also{' '}
        <a href="/trust-score.json">as data</a>.
      </p>
      <div class="stack">
        <Panel id="verdicts" title="Verdicts">
          <p class="lede">The first rule that applies decides.</p>
          <Table
            rows={verdictRules}
            columns={[
              { cell: ({ verdict }) => <VerdictTag verdict={verdict} /> },
              { cell: ({ when }) => when },
            ]}
          />
        </Panel>
        <Panel id="factors" title="Score by factor">
          <Table
            isCards
            scroll="Table of factors"
            rows={factors}
            rowId={({ id }) => `factor-${id}`}
            columns={[
              { name: 'Factor', cell: ({ name }) => name },
              {
                name: 'Points',
                isEnd: true,
                share: 'whole',
                class: 'nowrap',
                cell: ({ min, max }) => `${formatPoints(min)} to ${formatPoints(max)}`,
              },
              { name: 'When', share: 'whole', cell: ({ when }) => when },
            ]}
          />
        </Panel>
        <Flags />
        <div class="pair">
          <Panel id="bands" title="Bands">
            <Table
              rows={bands}
              columns={[
                { cell: ({ id }) => id },
                { isEnd: true, cell: ({ min, max }) => `${min} to ${max}` },
              ]}
            />
          </Panel>
          <Panel id="caps" title="Caps while an incident is open">
            <Table
              rows={caps}
              columns={[
                { cell: ({ incident }) => names[incident] ?? incident },
                { isEnd: true, cell: ({ maxScore }) => `at most ${maxScore}` },
              ]}
            />
          </Panel>
        </div>
        <Thresholds />
        <Panel id="versions" title="Versions">
          <ul class="stack">
            {changelog.map((entry) => (
              <li>
                <strong>{entry.version}</strong> <time dateTime={entry.date}>{entry.date}</time>:{' '}
                {entry.changes.join(' ')}
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </Layout>
  )
}
