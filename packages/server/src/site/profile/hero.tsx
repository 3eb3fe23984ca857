import type { ComponentChild } from 'preact'
import { bandOf } from '../../domain/judge/score.ts'
import { Day, Moment, Seller } from '../components/prose.tsx'
import { VerdictPanel } from '../components/verdictPanel.tsx'
import type { ProfileView } from './loadProfile.ts'
import { summarizeVerdict } from './sentence.ts'

/** The verdict on the host, with its date and the main facts. */
export function Hero({ view }: { view: ProfileView }) {
  const { profile, now, endpoints } = view
  const checked = latest(endpoints.map(({ state }) => state.lastChecked))
  const expires = latest(endpoints.map(({ state }) => state.expiresAt))
  const details = (
    <>
      <span>
        {checked === null ? (
          'Not measured yet'
        ) : (
          <>
            As of <Moment at={checked} now={now} />
          </>
        )}
      </span>
      {expires !== null && expires > now && (
        <span>
          Valid until <Moment at={expires} />
        </span>
      )}
      <span>
        <a href="/methodology">Score {profile.scoreVersion}</a>
      </span>
    </>
  )
  return (
    <VerdictPanel
      verdict={profile.verdict}
      score={profile.trustScore}
      {...(profile.trustScore !== null && { note: `of 100 · ${bandOf(profile.trustScore)}` })}
      heading={
        <h1 id="host">
          <Seller text={profile.host} max={300} />
        </h1>
      }
      label={profile.label}
      sentence={summarizeVerdict(view)}
      details={details}
    >
      <Facts view={view} />
    </VerdictPanel>
  )
}

function Facts({ view: { profile, facts } }: { view: ProfileView }) {
  const [uptime, basis] = splitUptime(profile.uptime)
  const flags = profile.flags.map((flag) => <FlagName flag={flag} />)
  const rows: readonly [name: string, value: ComponentChild, basis?: string | undefined][] = [
    ['Live endpoints', profile.liveness],
    ['Uptime', uptime, basis],
    ['Price per call', profile.pricePerCall],
    ['Network', profile.network === '' ? '–' : <Seller text={profile.network} max={60} />],
    ['Receiver on chain', profile.receiver ?? 'blank'],
    ['Receiver stability', profile.receiverStability ?? 'blank'],
    ['Risk level', profile.riskLevel],
    ['Flags', flags.length === 0 ? 'none' : flags],
    [
      'Listed by',
      profile.listedBy.length === 0 ? '–' : <Seller text={profile.listedBy.join(', ')} max={80} />,
    ],
    ['First seen', <Day at={profile.firstSeen} />],
    ['Last checked', profile.lastChecked === null ? '–' : <Day at={profile.lastChecked} />],
    ['Open incidents', facts.incidents.filter(({ status }) => status === 'open').length],
  ]
  return (
    <dl class="facts">
      {rows.map(([name, value, sub]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            {value}
            {sub !== undefined && <span class="sub">{sub}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Name of a flag, with line breaks allowed at its underscores. */
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

/** Splits an uptime text into its figure and its basis. */
function splitUptime(text: string): [figure: string, basis?: string] {
  const [, figure, basis] = /^(\S+%) (of .*)$/.exec(text) ?? /^(.*) \((.*)\)$/.exec(text) ?? []
  return figure === undefined || basis === undefined ? [text] : [figure, basis]
}

function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.max(...known)
}
