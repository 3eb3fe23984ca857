import { isOverruled } from '../../domain/publish/overruled.ts'
import { describeProfile } from '../../domain/publish/profile.ts'
import { whyHostUnknown } from '../../domain/publish/whyUnknown.ts'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { answerJson } from '../answerHtml.tsx'
import { formatDate } from '../format.ts'
import { readHost } from '../hostName.ts'
import { describeOutage } from '../outage.ts'
import type { PageDeps } from '../pageDeps.ts'
import { firstExpiry } from '../profile/loadProfile.ts'
import { VERDICT_COLORS } from '../verdictColors.ts'
import { drawBadge } from './drawBadge.ts'

const MAX_AGE_SECONDS = 300

/** Creates the badge of a host: `/badge/{host}.svg`, and `/badge/{host}.json` for the endpoint badge of shields.io. */
export function createBadgePage(deps: PageDeps): Page {
  return {
    path: '/badge/:file',
    handler: async ({ params }) => {
      const [, name = '', format] = /^(.+)\.(svg|json)$/.exec(params.file ?? '') ?? []
      const host = readHost(name)
      if (format === undefined || host === undefined) {
        throw new ProblemError(404, 'not_found', 'A badge is at /badge/{host}.svg or /badge/{host}.json.')
      }
      const { badge, expiresAt } = await describeBadge(deps, host)
      const caching = { maxAgeSeconds: MAX_AGE_SECONDS, expiresAt }
      if (format === 'svg') {
        return { type: 'image/svg+xml; charset=utf-8', body: drawBadge(badge), ...caching }
      }
      // Source: shields.io, endpoint badge schema 1.
      return answerJson({ schemaVersion: 1, ...badge }, caching)
    },
  }
}

/** Describes the verdict, or the date of the last one if it has expired. */
async function describeBadge({ store, clock }: PageDeps, host: string) {
  const now = clock.now()
  const summary = await store.summary(host)
  const label = 'x402 trust'
  if (summary === undefined) {
    return { badge: { label, message: 'not known', color: VERDICT_COLORS.unknown }, expiresAt: undefined }
  }
  const { verdict, label: words, trustScore, lastChecked, darkSince } = describeProfile(summary, now)
  // A badge has no room to say what overrules a score.
  const score = trustScore === null || isOverruled(verdict, trustScore) ? '' : ` ${trustScore}`
  const date = lastChecked === null ? null : formatDate(Date.parse(lastChecked))
  const unknown = {
    declined: 'declines probes',
    never: 'not measured',
    expired: `stale, ${date}`,
    elsewhere: 'unknown network',
  }
  const message =
    verdict === 'unknown'
      ? unknown[whyHostUnknown(summary.endpoints, now)]
      : darkSince === null
        ? `${words.toLowerCase()}${score} · ${date}`
        : `${words.toLowerCase()} · ${describeOutage(darkSince, summary.endpoints)}`
  return { badge: { label, message, color: VERDICT_COLORS[verdict] }, expiresAt: firstExpiry(summary, now) }
}
