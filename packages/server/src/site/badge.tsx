import type { VerdictCode } from '@touchstone402/shared'
import { renderToString } from 'preact-render-to-string'
import type { Page } from '../http/deps.ts'
import { ProblemError } from '../lib/problemError.ts'
import { describeProfile } from '../publish/profile.ts'
import { whyHostUnknown } from '../publish/whyUnknown.ts'
import { readSummary } from '../store/hosts.ts'
import { answerJson } from './answerHtml.tsx'
import { shownScore } from './components/verdictMark.tsx'
import { describeOutage } from './home/services.tsx'
import { readHost } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { firstExpiry } from './profile/loadProfile.ts'

const LABEL = 'x402 trust'
const UNKNOWN = {
  declined: 'declines probes',
  unread: 'not read',
  never: 'not measured',
  expired: 'stale',
  elsewhere: 'unknown network',
}

/** Colours of verdicts in badges and cards. Fixed, since other sites embed them beside either colour scheme. */
export const VERDICT_COLORS: Readonly<Record<VerdictCode, string>> = {
  safe: '#0a6b42',
  caution: '#855600',
  avoid: '#a51d18',
  unknown: '#5f6775',
}

/** Creates the badge of a host: `/badge/{host}.svg`, and `/badge/{host}.json` for the endpoint badge of shields.io. */
export function createBadgePage(deps: PageDeps): Page {
  return {
    path: '/badge/:file',
    handler: async ({ params }) => {
      const [, name = '', format] = /^(.+)\.(svg|json)$/.exec(params.file ?? '') ?? []
      const host = readHost(name)
      if (format === undefined || host === undefined)
        throw new ProblemError(404, 'not_found', 'A badge is at /badge/{host}.svg or /badge/{host}.json.')
      const { message, color, expiresAt } = await describeBadge(deps, host)
      const caching = { maxAgeSeconds: 300, expiresAt }
      // Source: shields.io, endpoint badge schema 1.
      if (format === 'json') return answerJson({ schemaVersion: 1, label: LABEL, message, color }, caching)
      const body = renderToString(<Badge message={message} color={color} />)
      return { type: 'image/svg+xml; charset=utf-8', body, ...caching }
    },
  }
}

/** Describes the verdict, or why there is none. */
async function describeBadge({ store, clock }: PageDeps, host: string) {
  const now = clock.now()
  const summary = await readSummary(store, host)
  if (summary === undefined) return { message: 'not known', color: VERDICT_COLORS.unknown }
  const profile = describeProfile(summary, now)
  const { verdict, lastChecked, darkSince } = profile
  const score = shownScore({ verdict, score: profile.trustScore })
  const known = `${profile.label}${score === null ? '' : ` ${score}`}`.toLowerCase()
  const date = lastChecked ?? 'not checked'
  const since = darkSince === null ? date : describeOutage(darkSince, summary.endpoints)
  const why = verdict === 'unknown' && UNKNOWN[whyHostUnknown(summary.endpoints, now)]
  const message = why === 'stale' ? `stale, ${date}` : why || `${known} · ${since}`
  return { message, color: VERDICT_COLORS[verdict], expiresAt: firstExpiry(summary, now) }
}

const PADDING = 8

/** A flat badge. Its texts are stretched to their estimated width, so they fit in any font. */
function Badge({ message, color }: { readonly message: string; readonly color: string }) {
  const [left = 0, right = 0] = [LABEL, message].map((text) => widthOf(text) + 2 * PADDING)
  return (
    <svg xmlns="http://www.w3.org/2000/svg" width={left + right} height="20" role="img">
      <title>{`${LABEL}: ${message}`}</title>
      <rect width={left} height="20" fill="#23262d" />
      <rect x={left} width={right} height="20" fill={color} />
      <g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
        {[LABEL, message].map((content, index) => (
          <text x={PADDING + index * left} y="14" textLength={widthOf(content)}>
            {content}
          </text>
        ))}
      </g>
    </svg>
  )
}

/** Estimates the width of a text in 11 px Verdana. */
const widthOf = (text: string) => Math.round(6.6 * text.length)
