import { VERDICT_LABELS } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import { profilePath } from '../components/incidentList.tsx'
import { EndpointName, Moment, Seller } from '../components/prose.tsx'
import { VerdictMark, VerdictTag } from '../components/verdictMark.tsx'
import { formatUsd } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { liveCheckPrice, liveCheckUrl } from '../profile/aside.tsx'
import { focusUrl } from '../profile/endpoints.tsx'
import { plural } from '../text.ts'
import type { SearchAnswer } from './findAnswer.ts'

type Props = { readonly answer: SearchAnswer; readonly query: string; readonly deps: PageDeps }

/** The answer to a search: a verdict where there is one. */
export function AnswerPanel({ answer, query, deps }: Props) {
  switch (answer.kind) {
    case 'endpoint': {
      const { verdict } = answer
      return (
        <VerdictPanel verdict={verdict.verdict} score={verdict.score ?? null}>
          <h2>
            <EndpointName url={verdict.endpoint} max={300} />
          </h2>
          <p class="verdict">{verdict.label}</p>
          <p class="sentence">{verdict.advice}</p>
          <p class="asof">
            {verdict.checkedAt !== null && (
              <span>
                As of <Moment at={Date.parse(verdict.checkedAt)} now={deps.clock.now()} />
              </span>
            )}
            <span>{formatUsd(verdict.priceUsd)} a call</span>
            <a href={focusUrl(answer.host, verdict.endpoint).replace('#record', '')}>Full profile</a>
          </p>
        </VerdictPanel>
      )
    }
    case 'host': {
      const { profile, endpoint } = answer
      const isOther = endpoint !== null && !endpoint.endsWith(`${profile.host}/`)
      return (
        <VerdictPanel verdict={profile.verdict} score={profile.trustScore}>
          <h2>
            <Seller text={profile.host} max={300} />
          </h2>
          <p class="verdict">{VERDICT_LABELS[profile.verdict]}</p>
          <p class="sentence">
            {isOther
              ? 'This very endpoint has not been looked at; the verdict is on the host it belongs to.'
              : `${profile.liveness} endpoints live, ${profile.pricePerCall} a call, risk ${profile.riskLevel}.`}
          </p>
          <p class="asof">
            {profile.lastChecked !== null && <span>Last checked {profile.lastChecked}</span>}
            <a href={profilePath(profile.host)}>Full profile</a>
          </p>
        </VerdictPanel>
      )
    }
    case 'several':
      return (
        <section class="panel" aria-labelledby="answer">
          <h2 id="answer">
            {plural(answer.total, 'service')} named like “<Seller text={query} max={60} />”
          </h2>
          <ul class="feed">
            {answer.profiles.map((profile) => (
              <li class={`v-${profile.verdict}`}>
                <VerdictMark verdict={profile.verdict} />
                <p class="body">
                  <a href={profilePath(profile.host)}>
                    <Seller text={profile.host} />
                  </a>
                  <span>
                    <VerdictTag verdict={profile.verdict} /> {profile.trustScore ?? ''}
                  </span>
                </p>
              </li>
            ))}
          </ul>
        </section>
      )
    case 'none':
      return <NothingFound answer={answer} query={query} deps={deps} />
  }
}

function NothingFound({ answer, query, deps }: Props & { answer: Extract<SearchAnswer, { kind: 'none' }> }) {
  return (
    <VerdictPanel verdict="unknown" score={null}>
      <h2>
        <Seller text={query} max={120} />
      </h2>
      <p class="verdict">{VERDICT_LABELS.unknown}</p>
      <p class="sentence">Nothing of that name is in the index. Unknown is not safe.</p>
      {answer.endpoint !== null && (
        <p class="asof">
          <span>
            Have it measured now for {formatUsd(liveCheckPrice(deps))}:{' '}
            <code class="endpoint">{liveCheckUrl(deps.publicUrl, answer.endpoint)}</code>
          </span>
        </p>
      )}
    </VerdictPanel>
  )
}

function VerdictPanel(props: {
  verdict: keyof typeof VERDICT_LABELS
  score: number | null
  children: ComponentChildren
}) {
  return (
    <section class={`panel hero answer v-${props.verdict}`} aria-label="Answer">
      <div class="plate">
        <VerdictMark verdict={props.verdict} />
        {props.score !== null && <span class="score">{props.score}</span>}
        <span class="of">{props.score === null ? 'no score' : 'of 100'}</span>
      </div>
      <div class="says">{props.children}</div>
    </section>
  )
}
