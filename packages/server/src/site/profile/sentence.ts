import { FLAG_SPECS } from '../../domain/judge/spec.ts'
import { formatUsd } from '../format.ts'
import { plural } from '../text.ts'
import type { ProfileView } from './loadProfile.ts'

/** The verdict on a host in one plain sentence. */
export function summarizeVerdict(view: ProfileView): string {
  const { profile, endpoints } = view
  const worst = profile.flags
    .map((flag) => FLAG_SPECS[flag])
    .sort((a, b) => RISK_ORDER.indexOf(a.risk) - RISK_ORDER.indexOf(b.risk))[0]
  const live = endpoints.filter(({ state }) => state.status === 'live').length
  switch (profile.verdict) {
    case 'safe':
      if (profile.flags.length > 0) {
        return `Nothing serious speaks against paying this service, up to ${formatUsd(highestPrice(view))} a call; ${plural(profile.flags.length, 'minor finding')} below.`
      }
      return `Nothing found speaks against paying this service, up to ${formatUsd(highestPrice(view))} a call, on the terms listed here.`
    case 'caution':
      return worst === undefined
        ? 'The evidence is thinner than it should be; look at the reasons before paying.'
        : `${worst.meaning} Look at the reasons before paying.`
    case 'avoid':
      if (live === 0) {
        return endpoints.some(({ state }) => state.status === 'invalid')
          ? 'No endpoint answers with a valid payment challenge. Do not pay this service.'
          : 'No endpoint answers any more. Do not pay this service.'
      }
      return worst === undefined
        ? 'The evidence speaks against this service. Do not pay it.'
        : `${worst.meaning} Do not pay this service.`
    case 'unknown':
      return profile.probes === 0
        ? `Nothing could be measured yet at ${plural(endpoints.length, 'endpoint')}; make a live check before paying.`
        : 'No recent measurement vouches for this service; make a live check before paying.'
  }
}

const RISK_ORDER = ['high', 'medium', 'low', 'clean']

function highestPrice({ endpoints }: ProfileView): number | null {
  const prices = endpoints.flatMap(({ state }) =>
    state.status === 'live' && state.priceUsd !== null ? [state.priceUsd] : [],
  )
  return prices.length === 0 ? null : Math.max(...prices)
}
