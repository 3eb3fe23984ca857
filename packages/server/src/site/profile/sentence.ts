import type { Reason } from '@touchstone402/shared'
import { whyHostUnknown } from '../../domain/publish/whyUnknown.ts'
import { formatUsd, plural } from '../format.ts'
import type { ProfileView } from './loadProfile.ts'

/** Summarizes the verdict on a host in one or two sentences. */
export function summarizeVerdict(view: ProfileView): string {
  const { profile, endpoints } = view
  const live = endpoints.filter(({ status }) => status === 'live').length
  switch (profile.verdict) {
    case 'safe':
      if (profile.flags.length > 0) {
        return `No serious finding, at up to ${formatUsd(highestPrice(view))} per call; ${plural(profile.flags.length, 'minor finding')} below.`
      }
      return `No finding against paying this service, at up to ${formatUsd(highestPrice(view))} per call, on the terms listed here.`
    case 'caution':
      return `${findReason(view, 'warn') ?? 'There is little evidence.'} Read the reasons before paying.`
    case 'avoid':
      if (live === 0) {
        return endpoints.some(({ status }) => status === 'invalid')
          ? 'No endpoint returns a valid payment challenge. Do not pay this service.'
          : 'No endpoint responds. Do not pay this service.'
      }
      return `${findReason(view, 'critical') ?? 'The evidence is against this service.'} Do not pay this service.`
    case 'unknown':
      return `${profile.riskLevel === 'high' ? 'It was found at high risk, which still stands. ' : ''}${
        {
          declined: 'This host declines probes, so nothing is measured. Unknown is not safe.',
          never: `No measurement yet at ${plural(endpoints.length, 'endpoint')}. Run a live check before paying.`,
          expired: 'No recent measurement of this service. Run a live check before paying.',
          elsewhere:
            'Every offer is on a network, or in a form, that is not known here. Nothing can be said of it.',
          unlisted:
            'Visitors alone named what was probed here: no document of the host and no directory lists an endpoint, so nothing is said of the host.',
        }[
          whyHostUnknown(
            endpoints.map(({ state }) => state),
            view.now,
          )
        ]
      }`
  }
}

/** Returns the first reason of a severity behind the verdict on the host; undefined if it is the score. */
function findReason({ profile, shown }: ProfileView, severity: Reason['severity']): string | undefined {
  return shown
    .filter(({ verdict }) => verdict === profile.verdict)
    .flatMap(({ state }) => state.reasons)
    .find((reason) => reason.severity === severity)?.message
}

function highestPrice({ endpoints }: ProfileView): number | null {
  const prices = endpoints.flatMap(({ state, status }) =>
    status === 'live' && state.priceUsd !== null ? [state.priceUsd] : [],
  )
  return prices.length === 0 ? null : Math.max(...prices)
}
