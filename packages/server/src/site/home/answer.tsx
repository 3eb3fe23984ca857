import { ADDRESS_PATTERN, NETWORKS, type Profile } from '@touchstone402/shared'
import { describeProfile } from '../../domain/publish/profile.ts'
import { HostLink } from '../components/incidentList.tsx'
import { Panel } from '../components/panel.tsx'
import { Address, Seller } from '../components/prose.tsx'
import { VerdictMark, VerdictTag } from '../components/verdictMark.tsx'
import { plural } from '../format.ts'
import { isReachable, readHost, readUrl } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { focusPath, profilePath, SCANS_PATH } from '../paths.ts'

const SHOWN = 20
const CAIP2 = NETWORKS.map(({ caip2 }) => caip2)
/** An address of Solana. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** Answer to what was typed into the box. */
export type Answer =
  /** It is known, and has a page. */
  | { readonly kind: 'page'; readonly path: string }
  /** Hosts that a receiver receives for, or whose names contain a text. */
  | {
      readonly kind: 'hosts'
      readonly of: 'receiver' | 'name'
      readonly profiles: readonly Profile[]
      readonly total: number
    }
  /** An endpoint that was never probed, at a host that may be known. */
  | { readonly kind: 'unknown'; readonly url: string; readonly host: string | null }
  | { readonly kind: 'invalid' }

/** Answers a URL, a host, a part of a host's name, or the address of a receiver. */
export async function findAnswer(query: string, deps: PageDeps): Promise<Answer> {
  const { store, readModel } = deps
  const text = query.trim()
  if (ADDRESS_PATTERN.test(text) || BASE58.test(text))
    return {
      kind: 'hosts',
      of: 'receiver',
      ...(await readProfiles(deps, store.searchPaid(CAIP2, text, SHOWN))),
    }
  // The scheme may be missing if a path follows the host.
  const typed = text.includes('://') ? text : `https://${text}`
  const url = text.includes('/') ? readUrl(typed) : undefined
  const host = url?.host ?? readHost(text)
  const found = url && (await readModel.find(url.key))
  if (found) return { kind: 'page', path: focusPath(found.state.host, found.state.endpoint) }
  const isKnown = host !== undefined && (await store.summary(host)) !== undefined
  if (isKnown && (url === undefined || url.path === '/')) return { kind: 'page', path: profilePath(host) }
  if (url === undefined) {
    const named = await readProfiles(deps, store.searchHosts(text.toLowerCase(), SHOWN))
    if (named.profiles.length > 0) return { kind: 'hosts', of: 'name', ...named }
  }
  // A single word is read as a host, but is none that can be asked.
  if (host === undefined || !isReachable(host, deps)) return { kind: 'invalid' }
  return { kind: 'unknown', url: url === undefined ? `https://${host}/` : typed, host: isKnown ? host : null }
}

async function readProfiles(
  { store, clock }: PageDeps,
  found: ReturnType<PageDeps['store']['searchHosts']>,
): Promise<{ profiles: readonly Profile[]; total: number }> {
  const { hosts, total } = await found
  const summaries = await Promise.all(hosts.map((host) => store.summary(host)))
  const profiles = summaries.flatMap((summary) =>
    summary === undefined ? [] : describeProfile(summary, clock.now()),
  )
  return { profiles, total }
}

type Props = { readonly answer: Exclude<Answer, { kind: 'page' }>; readonly query: string }

/** Answer to what was typed, where no page is the answer. */
export function AnswerPanel({ answer, query }: Props) {
  if (answer.kind === 'invalid')
    return (
      <Panel id="answer" title="Not a URL, host or receiver address that can be checked">
        <p>Try api.example.com, https://api.example.com/v1/weather or 0x and 40 hexadecimal digits.</p>
      </Panel>
    )
  if (answer.kind === 'hosts') return <Hosts answer={answer} query={query} />
  const { url, host } = answer
  return (
    <Panel
      id="answer"
      title={
        <>
          <VerdictTag verdict="unknown" /> <Seller text={url} max={300} />
        </>
      }
    >
      <p>
        {host === null ? 'Not in the index.' : 'Not probed yet: nothing is known about this endpoint.'}{' '}
        Unknown is not safe. A Check calls it now as an agent would, pays nothing, and shows what it asks for.
      </p>
      <form class="form" action={SCANS_PATH} method="post">
        <input type="hidden" name="url" value={url} />
        <button type="submit">Check it now</button>
      </form>
      {host !== null && (
        <p class="small">
          Other endpoints of this host were probed: <HostLink host={host} max={160} />.
        </p>
      )}
    </Panel>
  )
}

function Hosts({
  answer: { of, profiles, total },
  query,
}: {
  answer: Extract<Answer, { kind: 'hosts' }>
  query: string
}) {
  const title =
    of === 'receiver' ? (
      <>
        <Address value={query.trim()} /> receives for{' '}
        {total === 0 ? 'no known service' : plural(total, 'service')}
      </>
    ) : (
      <>
        {plural(total, 'service')} matching “<Seller text={query} max={60} />”
      </>
    )
  return (
    <Panel id="answer" title={title}>
      {total === 0 && (
        <p>No endpoint that was probed names this receiver now. That says nothing about who owns it.</p>
      )}
      <ul class="feed">
        {profiles.map(({ host, verdict }) => (
          <li class={`v-${verdict}`}>
            <VerdictMark verdict={verdict} />
            <p class="body">
              <HostLink host={host} max={160} />
              <VerdictTag verdict={verdict} />
            </p>
          </li>
        ))}
      </ul>
      {total > profiles.length && (
        <p class="small muted">
          The first {profiles.length} of {total}, by name.
        </p>
      )}
    </Panel>
  )
}
