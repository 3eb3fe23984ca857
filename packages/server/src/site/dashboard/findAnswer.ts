import type { Profile, Verdict } from '@touchstone402/shared'
import { describeProfile } from '../../domain/publish/profile.ts'
import { describeVerdict } from '../../domain/publish/verdict.ts'
import { isReachable, readHost, readUrl } from '../hostName.ts'
import { liveCheckPrice } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'

/** Result of a search. */
export type SearchAnswer =
  | { readonly kind: 'endpoint'; readonly verdict: Verdict; readonly host: string }
  | { readonly kind: 'unseen'; readonly endpoint: string; readonly profile: Profile }
  | { readonly kind: 'host'; readonly profile: Profile }
  | { readonly kind: 'several'; readonly profiles: readonly Profile[]; readonly total: number }
  /** Nothing is known. The endpoint is null if the query is neither a URL nor a host. */
  | { readonly kind: 'none'; readonly endpoint: string | null }

const SHOWN = 20

/** Answers a search for an endpoint, a host or a part of a host's name. */
export async function findAnswer(query: string, deps: PageDeps): Promise<SearchAnswer> {
  const { store, clock } = deps
  const text = query.trim().toLowerCase()
  // The scheme may be missing if a path follows the host.
  const url = text.includes('/')
    ? readUrl(text.includes('://') ? query.trim() : `https://${query.trim()}`)
    : undefined
  const host = url?.host ?? readHost(text)
  if (url !== undefined) {
    const found = await deps.readModel.find(url.key)
    if (found !== null) {
      const verdict = describeVerdict(found.state, found.match, url.key, {
        publicUrl: deps.publicUrl,
        liveCheckPriceUsd: liveCheckPrice(deps),
        now: clock.now(),
      })
      return { kind: 'endpoint', verdict, host: found.state.host }
    }
  }
  const describe = async (name: string) => {
    const summary = await store.summary(name)
    return summary === undefined ? [] : [describeProfile(summary, clock.now())]
  }
  const [exact] = host === undefined ? [] : await describe(host)
  if (exact !== undefined) {
    return url === undefined || url.path === '/'
      ? { kind: 'host', profile: exact }
      : { kind: 'unseen', endpoint: url.key, profile: exact }
  }
  const { hosts, total } = url === undefined ? await store.searchHosts(text, SHOWN) : { hosts: [], total: 0 }
  const profiles = (await Promise.all(hosts.map(describe))).flat()
  if (profiles.length > 0) return { kind: 'several', profiles, total }
  // A single word is read as a host, but is none that can be asked.
  const isHost = host !== undefined && isReachable(host, deps)
  return { kind: 'none', endpoint: isHost ? (url?.key ?? `https://${host}/`) : null }
}
