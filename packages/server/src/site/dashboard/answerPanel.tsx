import { VERDICT_LABELS } from '@touchstone402/shared'
import { HostLink } from '../components/incidentList.tsx'
import { Panel } from '../components/panel.tsx'
import { Day, EndpointName, Moment, Seller } from '../components/prose.tsx'
import { Score } from '../components/score.tsx'
import { VerdictMark, VerdictTag } from '../components/verdictMark.tsx'
import { VerdictPanel } from '../components/verdictPanel.tsx'
import { formatUsd, plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { focusPath, profilePath } from '../paths.ts'
import type { SearchAnswer } from './findAnswer.ts'
import { NotFound, Unseen } from './unknownAnswer.tsx'

type Props = { readonly answer: SearchAnswer; readonly query: string; readonly deps: PageDeps }

/** The answer to a search: a verdict, several matching services, or nothing. */
export function AnswerPanel({ answer, query, deps }: Props) {
  switch (answer.kind) {
    case 'endpoint': {
      const { verdict, score, overruledBy, label, endpoint, advice, checkedAt, priceUsd, status, darkSince } =
        answer.verdict
      const details = (
        <>
          {checkedAt !== null && (
            <span>
              As of <Moment at={checkedAt} now={deps.clock.now()} />
            </span>
          )}
          {darkSince !== null && (
            <span>
              {status} since <Day at={darkSince} />
            </span>
          )}
          <span>{formatUsd(priceUsd)} per call</span>
          <a href={focusPath(answer.host, endpoint)}>Full profile</a>
        </>
      )
      return (
        <VerdictPanel
          verdict={verdict}
          score={score ?? null}
          overruledBy={overruledBy}
          subject={<EndpointName url={endpoint} max={300} />}
          label={label}
          sentence={advice}
          details={details}
        />
      )
    }
    case 'unseen':
      return <Unseen endpoint={answer.endpoint} profile={answer.profile} deps={deps} />
    case 'host': {
      const { verdict, trustScore, overruledBy, host, liveness, pricePerCall, riskLevel, lastChecked } =
        answer.profile
      const details = (
        <>
          {lastChecked !== null && <span>Last checked {lastChecked}</span>}
          <a href={profilePath(host)}>Full profile</a>
        </>
      )
      return (
        <VerdictPanel
          verdict={verdict}
          score={trustScore}
          overruledBy={overruledBy}
          subject={<Seller text={host} max={300} />}
          label={VERDICT_LABELS[verdict]}
          sentence={`${liveness} endpoints live, ${pricePerCall} per call, risk ${riskLevel}.`}
          details={details}
        />
      )
    }
    case 'several':
      return (
        <Panel
          id="answer"
          title={
            <>
              {plural(answer.total, 'service')} matching “<Seller text={query} max={60} />”
            </>
          }
        >
          <ul class="feed">
            {answer.profiles.map(({ host, verdict, trustScore }) => (
              <li class={`v-${verdict}`}>
                <VerdictMark verdict={verdict} />
                <p class="body">
                  <HostLink host={host} max={160} />
                  <span>
                    <VerdictTag verdict={verdict} />{' '}
                    {trustScore !== null && <Score verdict={verdict} score={trustScore} />}
                  </span>
                </p>
              </li>
            ))}
          </ul>
        </Panel>
      )
    case 'none':
      return <NotFound endpoint={answer.endpoint} query={query} deps={deps} />
  }
}
