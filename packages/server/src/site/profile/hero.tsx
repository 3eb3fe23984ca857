import type { Profile } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import { bandOf } from '../../domain/judge/score.ts'
import { Day, Moment, Seller } from '../components/prose.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import type { ProfileView } from './loadProfile.ts'
import { summarizeVerdict } from './sentence.ts'

/** The verdict at a glance: plate, words, one sentence, when it was measured, and the facts in short. */
export function Hero({ view }: { view: ProfileView }) {
  const { profile, now, endpoints } = view
  const checked = latest(endpoints.map(({ state }) => state.lastChecked))
  const expires = latest(endpoints.map(({ state }) => state.expiresAt))
  return (
    <section class={`panel hero v-${profile.verdict}`} aria-labelledby="host">
      <div class="plate">
        <VerdictMark verdict={profile.verdict} />
        <ScoreFigure score={profile.trustScore} />
      </div>
      <div class="says">
        <h1 id="host">
          <Seller text={profile.host} max={300} />
        </h1>
        <p class="verdict">{profile.label}</p>
        <p class="sentence">{summarizeVerdict(view)}</p>
        <p class="asof">
          <span>
            {checked === null ? (
              'Not checked yet'
            ) : (
              <>
                As of <Moment at={checked} now={now} />
              </>
            )}
          </span>
          {expires !== null && expires > now && (
            <span>
              Stands until <Moment at={expires} />
            </span>
          )}
          <span>
            <a href="/methodology">Score {profile.scoreVersion}</a>
          </span>
        </p>
      </div>
      <Facts profile={profile} view={view} />
    </section>
  )
}

function ScoreFigure({ score }: { score: number | null }) {
  if (score === null) {
    return <span class="of">no score</span>
  }
  return (
    <>
      <span class="score">{score}</span>
      <span class="of">of 100 · {bandOf(score)}</span>
    </>
  )
}

function Facts({ profile, view }: { profile: Profile; view: ProfileView }) {
  const [uptime, basis] = splitUptime(profile.uptime)
  return (
    <dl class="facts">
      <Fact name="Live endpoints">{profile.liveness}</Fact>
      <Fact name="Uptime" sub={basis}>
        {uptime}
      </Fact>
      <Fact name="Price per call">{profile.pricePerCall}</Fact>
      <Fact name="Network">{profile.network === '' ? '–' : <Seller text={profile.network} max={60} />}</Fact>
      <Fact name="Receiver on chain">{profile.receiver ?? 'blank'}</Fact>
      <Fact name="Receiver stability">{profile.receiverStability ?? 'blank'}</Fact>
      <Fact name="Risk level">{profile.riskLevel}</Fact>
      <Fact name="Flags">
        {profile.flags.length === 0 ? 'none' : profile.flags.map((flag) => <FlagName flag={flag} />)}
      </Fact>
      <Fact name="Listed by">
        {profile.listedBy.length === 0 ? '–' : <Seller text={profile.listedBy.join(', ')} max={80} />}
      </Fact>
      <Fact name="First seen">
        <Day at={Date.parse(profile.firstSeen)} />
      </Fact>
      <Fact name="Last checked">
        {profile.lastChecked === null ? '–' : <Day at={Date.parse(profile.lastChecked)} />}
      </Fact>
      <Fact name="Open incidents">
        {view.facts.incidents.filter(({ status }) => status === 'open').length}
      </Fact>
    </dl>
  )
}

/** A flag's name, which may be broken at its underscores. */
function FlagName({ flag }: { flag: string }) {
  const [first, ...rest] = flag.split('_')
  return (
    <>
      {first}
      {rest.map((word) => (
        <>
          _<wbr />
          {word}
        </>
      ))}{' '}
    </>
  )
}

function Fact(props: { name: string; sub?: string | undefined; children: ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.children}
        {props.sub !== undefined && <span class="sub">{props.sub}</span>}
      </dd>
    </div>
  )
}

/** The figure and what it rests on. */
function splitUptime(text: string): [string, string | undefined] {
  const [, figure, basis] = /^(\S+%) (of .*)$/.exec(text) ?? /^(.*) \((.*)\)$/.exec(text) ?? []
  return figure === undefined ? [text, undefined] : [figure, basis]
}

function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.max(...known)
}
