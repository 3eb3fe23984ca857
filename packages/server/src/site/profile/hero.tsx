import { bandOf } from '../../domain/judge/score.ts'
import { type Definition, Definitions } from '../components/panel.tsx'
import { Moment, Seller } from '../components/prose.tsx'
import { VerdictPanel } from '../components/verdictPanel.tsx'
import { formatDate } from '../format.ts'
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
      overruledBy={profile.overruledBy}
      {...(profile.trustScore !== null && { note: `of 100 · ${bandOf(profile.trustScore)}` })}
      isPage
      subject={<Seller text={profile.host} max={300} />}
      label={profile.label}
      sentence={summarizeVerdict(view)}
      details={details}
    >
      <Facts view={view} />
    </VerdictPanel>
  )
}

function Facts({ view: { profile, openIncidents } }: { view: ProfileView }) {
  const { network, flags, listedBy, lastChecked } = profile
  const list: Definition[] = [
    { term: 'Live endpoints', text: profile.liveness },
    { term: 'Uptime', text: <Uptime text={profile.uptime} /> },
    { term: 'Price per call', text: profile.pricePerCall },
    { term: 'Network', text: network === '' ? '–' : <Seller text={network} max={60} /> },
    { term: 'Receiver on chain', text: profile.receiver ?? 'not known' },
    { term: 'Receiver stability', text: profile.receiverStability ?? 'not known' },
    { term: 'Risk level', text: profile.riskLevel },
    { term: 'Flags', text: flags.length === 0 ? 'none' : flags.map((flag) => <FlagName flag={flag} />) },
    { term: 'Listed by', text: listedBy.length === 0 ? '–' : <Seller text={listedBy.join(', ')} max={80} /> },
    { term: 'First seen', text: <time>{profile.firstSeen}</time> },
    { term: 'Last checked', text: lastChecked === null ? '–' : <time>{lastChecked}</time> },
    { term: 'Open incidents', text: openIncidents },
  ]
  return <Definitions class="facts" list={list} />
}

/** Name of a flag, with line breaks allowed at its underscores. */
function FlagName({ flag }: { flag: string }) {
  const parts = flag.split('_').flatMap((word, index) => (index === 0 ? [word] : ['_', <wbr />, word]))
  return <>{parts} </>
}

/** Uptime, or the outage, with its basis, such as the number of probes, on a separate line. */
function Uptime({ text }: { text: string }) {
  const [, figure = text, basis] =
    /^(.* since .*); (.*)$/.exec(text) ?? /^(\S+%) (of .*)$/.exec(text) ?? /^(.*) \((.*)\)$/.exec(text) ?? []
  return (
    <>
      {figure.replace(/\d{4}-\d\d-\d\d/, (date) => formatDate(Date.parse(date)))}
      {basis !== undefined && <span class="sub">{basis}</span>}
    </>
  )
}

function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.max(...known)
}
