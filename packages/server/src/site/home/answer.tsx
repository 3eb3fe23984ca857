import { ADDRESS_PATTERN, NETWORKS, type VerdictCode } from '@touchstone402/shared'
import { describeProfile, isListed } from '../../domain/publish/profile.ts'
import { currentVerdict } from '../../domain/publish/verdict.ts'
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

/** Answer to what was typed into the box. */
export type Answer =
  /** It is known, and has a page. */
  | { readonly kind: 'page'; readonly path: string }
  /** The hosts that name a receiver now, of which the first are shown. */
  | {
      readonly kind: 'receiver'
      readonly address: string
      readonly hosts: readonly { readonly host: string; readonly verdict: VerdictCode }[]
      readonly total: number
    }
  /** An endpoint that nobody lists, at a host that may be known; the verdict is that of paid checks. */
  | {
      readonly kind: 'unlisted'
      readonly url: string
      readonly host: string | null
      readonly verdict: VerdictCode
    }
  | { readonly kind: 'invalid' }

/** Answers a URL, a host, or the address of a receiver. */
export async function findAnswer(query: string, deps: PageDeps): Promise<Answer> {
  const { store, readModel, clock } = deps
  const text = query.trim()
  if (ADDRESS_PATTERN.test(text) || BASE58.test(text)) return findHosts(text, deps)
  // The scheme may be missing if a path follows the host.
  const typed = withScheme(text)
  const url = text.includes('/') ? readUrl(typed) : undefined
  const host = url?.host ?? readHost(text)
  const found = url && (await readModel.find(url.key))
  if (found && isListed(found.state))
    return { kind: 'page', path: focusPath(found.state.host, found.state.endpoint) }
  const isKnown = host !== undefined && (await store.summary(host)) !== undefined
  if (isKnown && (url === undefined || url.path === '/')) return { kind: 'page', path: profilePath(host) }
  // A single word is read as a host, but is none that can be asked.
  if (host === undefined || !isReachable(host, deps)) return { kind: 'invalid' }
  return {
    kind: 'unlisted',
    url: url === undefined ? `https://${host}/` : typed,
    host: isKnown ? host : null,
    verdict: found ? currentVerdict(found.state, clock.now()).verdict : 'unknown',
  }
}

async function findHosts(address: string, { store, clock }: PageDeps): Promise<Answer> {
  const { hosts, total } = await store.searchPaid(CAIP2, address, SHOWN)
  const summaries = await Promise.all(hosts.map((host) => store.summary(host)))
  const shown = summaries.flatMap((summary) => (summary ? describeProfile(summary, clock.now()) : []))
  return { kind: 'receiver', address, hosts: shown, total }
}

/** Answer to what was typed, where no page is the answer. */
export function AnswerPanel({ answer }: { readonly answer: Exclude<Answer, { kind: 'page' }> }) {
  if (answer.kind === 'invalid')
    return (
      <Panel id="answer" title="Not a URL, host or receiver address that can be checked">
        <p>Try api.example.com, https://api.example.com/v1/weather or 0x and 40 hexadecimal digits.</p>
      </Panel>
    )
  return answer.kind === 'receiver' ? <Receiver {...answer} /> : <Unlisted {...answer} />
}

function Unlisted({ url, host, verdict }: Extract<Answer, { kind: 'unlisted' }>) {
  const title = (
    <>
      <VerdictTag verdict={verdict} /> <Seller text={url} max={300} />
    </>
  )
  return (
    <Panel id="answer" title={title}>
      <p>
        No directory and no document of its host lists this endpoint.{' '}
        {verdict === 'unknown' ? 'Unknown is not safe.' : 'The verdict is that of the last paid check.'} A
        Check calls it now as an agent would, pays nothing, and shows what it asks for.
      </p>
      <CheckButton fields={{ url }} label="Check now" />
      {host !== null && (
        <p class="small">
          Other endpoints of this host were probed: <HostLink host={host} max={160} />.
        </p>
      )}
    </Panel>
  )
}

function Receiver({ address, hosts, total }: Extract<Answer, { kind: 'receiver' }>) {
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
      <ul class="lines">
        {hosts.map(({ host, verdict }) => (
          <li>
            <VerdictTag verdict={verdict} /> <HostLink host={host} max={160} />
          </li>
        ))}
      </ul>
      {total > hosts.length && <p class="small muted">The first {hosts.length}, by name.</p>}
    </Panel>
  )
}
