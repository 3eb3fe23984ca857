import { INCIDENT_KINDS, VERDICT_LABELS } from '@touchstone402/shared'
import { SCORE_SPEC } from '../../domain/judge/spec.ts'
import type { Page } from '../../http/deps.ts'
import { answerHtml } from '../answerHtml.tsx'
import { INCIDENT_NAMES } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Scroll } from '../components/scroll.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { Flags, Thresholds } from './flags.tsx'

/** How a verdict comes about, made from the specification that the scorer itself uses. */
export function createMethodologyPage({ publicUrl }: PageDeps): Page {
  const answer = answerHtml(<Methodology publicUrl={publicUrl} />)
  return { path: '/methodology', handler: () => answer }
}

function Methodology({ publicUrl }: { publicUrl: string }) {
  return (
    <Layout
      title={`Methodology: trust score ${SCORE_SPEC.version}`}
      description="How Touchstone measures x402 endpoints and comes to a verdict: factors, flags, caps, thresholds, versions."
      path="/methodology"
      publicUrl={publicUrl}
      section="/methodology"
    >
      <h1>How a verdict comes about</h1>
      <p class="lede">
        Two questions are kept apart. The score says how much good evidence there is; the risk level says how
        bad the worst thing found is. The verdict takes the worse answer of the two. One bad look never
        convicts: faults count once they are confirmed from another client. This is version{' '}
        {SCORE_SPEC.version}, also <a href="/trust-score.json">as data</a>.
      </p>
      <div class="stack">
        <section class="panel" aria-labelledby="verdicts">
          <h2 id="verdicts">Verdicts</h2>
          <p class="lede">The first rule that applies decides.</p>
          <table>
            <tbody>
              {SCORE_SPEC.verdictRules.map(({ verdict, when }) => (
                <tr>
                  <th scope="row" title={VERDICT_LABELS[verdict]}>
                    <VerdictTag verdict={verdict} />
                  </th>
                  <td>{when}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <Factors />
        <Flags />
        <div class="pair">
          <Bands />
          <Caps />
        </div>
        <Thresholds />
        <section class="panel" aria-labelledby="versions">
          <h2 id="versions">Versions</h2>
          <ul class="stack">
            {SCORE_SPEC.changelog.map(({ version, date, changes }) => (
              <li>
                <strong>{version}</strong> <time dateTime={date}>{date}</time>: {changes.join(' ')}
              </li>
            ))}
          </ul>
        </section>
      </div>
    </Layout>
  )
}

function Factors() {
  return (
    <section class="panel" aria-labelledby="factors">
      <h2 id="factors">Score, factor by factor</h2>
      <Scroll label="Table of factors">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">Factor</th>
              <th scope="col" class="end">
                Points
              </th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {SCORE_SPEC.factors.map(({ id, name, min, max, when }) => (
              <tr id={`factor-${id}`}>
                <th scope="row">{name}</th>
                <td class="end nowrap">{range(min, max)}</td>
                <td>{when}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

function Bands() {
  return (
    <section class="panel" aria-labelledby="bands">
      <h2 id="bands">Bands</h2>
      <table>
        <tbody>
          {SCORE_SPEC.bands.map(({ id, min, max }) => (
            <tr>
              <th scope="row">{id}</th>
              <td class="end">
                {min} to {max}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Caps() {
  return (
    <section class="panel" aria-labelledby="caps">
      <h2 id="caps">Caps while an incident is open</h2>
      <table>
        <tbody>
          {SCORE_SPEC.caps.map(({ incident, maxScore }) => (
            <tr>
              <th scope="row">{nameOf(incident)}</th>
              <td class="end">at most {maxScore}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function nameOf(incident: string): string {
  const kind = INCIDENT_KINDS.find((known) => known === incident)
  return kind === undefined ? incident : INCIDENT_NAMES[kind]
}

const signed = (points: number) => (points > 0 ? `+${points}` : `${points}`.replace('-', '−'))

function range(min: number, max: number): string {
  if (min === 0) return `0 to ${signed(max)}`
  return max === 0 ? `${signed(min)} to 0` : `${signed(min)} to ${signed(max)}`
}
