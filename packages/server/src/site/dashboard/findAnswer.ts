import type { Profile, Verdict } from '@touchstone402/shared'
import { describeVerdict } from '../../domain/publish/verdict.ts'
import { readHost, readUrl } from '../hostName.ts'
import { liveCheckPrice } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'

/** Result of a search. */
export type SearchAnswer =
  | { readonly kind: 'endpoint'; readonly verdict: Verdict; readonly host: string }
  | { readonly kind: 'host'; readonly profile: Profile; readonly endpoint: string | null }
  | { readonly kind: 'several'; readonly profiles: readonly Profile[]; readonly total: number }
  | { readonly kind: 'none'; readonly endpoint: string | null }

const SHOWN = 20

/** Answers a search for an endpoint, a host or a part of a host's name. */
export function findAnswer(query: string, services: readonly Profile[], deps: PageDeps): SearchAnswer {
  const text = query.trim().toLowerCase()
  // The scheme may be missing if a path follows the host.
  const url = text.includes('/')
    ? readUrl(text.includes('://') ? query.trim() : `https://${query.trim()}`)
    : undefined
  const host = url?.host ?? readHost(text)
  if (url !== undefined && url.path !== '/') {
    const found = deps.readModel.find(url.key)
    if (found !== undefined) {
      const verdict = describeVerdict(found.state, found.match, url.key, {
        publicUrl: deps.publicUrl,
        liveCheckPriceUsd: liveCheckPrice(deps),
        now: deps.clock.now(),
      })
      return { kind: 'endpoint', verdict, host: found.state.host }
    }
  }
  const exact = services.find((profile) => profile.host === host)
  if (exact !== undefined) return { kind: 'host', profile: exact, endpoint: url?.key ?? null }
  const partial = url === undefined ? services.filter((profile) => profile.host.includes(text)) : []
  if (partial.length > 0) return { kind: 'several', profiles: partial.slice(0, SHOWN), total: partial.length }
  return { kind: 'none', endpoint: url?.key ?? (host === undefined ? null : `https://${host}/`) }
}
