import { ADDRESS_PATTERN, NETWORKS, type VerdictCode } from '@touchstone402/shared'
import type { VNode } from 'preact'
import { describeProfile, isListed } from '../../publish/profile.ts'
import { currentVerdict } from '../../publish/verdict.ts'
import { readSummary, searchPaid } from '../../store/hosts.ts'
import { CheckButton } from '../components/checkForm.tsx'
import { HostLink } from '../components/incidentList.tsx'
import { Panel } from '../components/panel.tsx'
import { Address, Seller } from '../components/prose.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { plural } from '../format.ts'
import { isReachable, readHost, readUrl, withScheme } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { focusPath, profilePath } from '../paths.ts'

const SHOWN = 20
const CAIP2 = NETWORKS.map(({ caip2 }) => caip2)
/** An address of Solana. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** Answers a URL, a host, or the address of a receiver: with the path of its page, or with a panel. */
export async function answerQuery(query: string, deps: PageDeps): Promise<string | VNode> {
  const { store, readModel, clock } = deps
  const text = query.trim()
  if (ADDRESS_PATTERN.test(text) || BASE58.test(text)) return answerReceiver(text, deps)
  // The scheme may be missing if a path follows the host.
  const typed = withScheme(text)
  const url = text.includes('/') ? readUrl(typed) : undefined
  const host = url?.host ?? readHost(text)
  const found = url && (await readModel.find(url.key))
  if (found && isListed(found.state)) return focusPath(found.state.host, found.state.endpoint)
  const isKnown = host !== undefined && (await readSummary(store, host)) !== undefined
  if (isKnown && (url === undefined || url.path === '/')) return profilePath(host)
  // A single word is read as a host, but is none that can be asked.
  if (host === undefined || !isReachable(host, deps))
    return (
      <Panel id="answer" title="Not a URL, host or receiver address that can be checked">
        <p>Try api.example.com, https://api.example.com/v1/weather or 0x and 40 hexadecimal digits.</p>
      </Panel>
    )
  const asked = url === undefined ? `https://${host}/` : typed
  const verdict = found ? currentVerdict(found.state, clock.now()).verdict : 'unknown'
  const title = (
    <>
      <VerdictTag verdict={verdict} /> <Seller text={asked} max={300} />
    </>
  )
  return (
    <Panel id="answer" title={title}>
      <p>
        No directory and no document of its host lists this endpoint.{' '}
        {verdict === 'unknown' ? 'Unknown is not safe.' : 'The verdict is that of the last paid check.'} A
        Check calls it now as an agent would, pays nothing, and shows what it asks for.
      </p>
      <CheckButton fields={{ url: asked }} label="Check now" />
      {isKnown && (
        <p class="small">
          Other endpoints of this host were probed: <HostLink host={host} max={160} />.
        </p>
      )}
    </Panel>
  )
}

/** Lists the first hosts that name a receiver now. */
async function answerReceiver(address: string, { store, clock }: PageDeps) {
  const { hosts, total } = await searchPaid(store, CAIP2, address, SHOWN)
  const summaries = await Promise.all(hosts.map((host) => readSummary(store, host)))
  const title = (
    <>
      <Address value={address} /> receives for {total === 0 ? 'no known service' : plural(total, 'service')}
    </>
  )
  return (
    <Panel id="answer" title={title}>
      {total === 0 && (
        <p>No endpoint that was probed names this receiver now. That says nothing about who owns it.</p>
      )}
      {total > SHOWN && <p class="small muted">The first {SHOWN}, by name.</p>}
      <ul>
        {summaries.map((summary) => summary && <ServiceLine {...describeProfile(summary, clock.now())} />)}
      </ul>
    </Panel>
  )
}

const ServiceLine = ({ host, verdict }: { readonly host: string; readonly verdict: VerdictCode }) => (
  <li>
    <VerdictTag verdict={verdict} /> <HostLink host={host} max={160} />
  </li>
)
