import { isOverruled } from '../../domain/publish/overruled.ts'
import { describeProfile } from '../../domain/publish/profile.ts'
import { whyHostUnknown } from '../../domain/publish/whyUnknown.ts'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { answerJson } from '../answerHtml.tsx'
import { formatDate } from '../format.ts'
import { describeOutage } from '../home/services.tsx'
import { readHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { firstExpiry } from '../profile/loadProfile.ts'
import { escapeXml } from '../rss.ts'
import { VERDICT_COLORS } from '../verdictColors.ts'

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
    unlisted: 'not listed',
  }
  const message =
    verdict === 'unknown'
      ? unknown[whyHostUnknown(summary.endpoints, now)]
      : darkSince === null
        ? `${words.toLowerCase()}${score} · ${date}`
        : `${words.toLowerCase()} · ${describeOutage(darkSince, summary.endpoints)}`
  return { badge: { label, message, color: VERDICT_COLORS[verdict] }, expiresAt: firstExpiry(summary, now) }
}

type Badge = { readonly label: string; readonly message: string; readonly color: string }

const HEIGHT = 20
const PADDING = 8
const MARK = 15

/** Draws a flat badge as SVG. Texts are stretched to their estimated width, so they fit in any font. */
function drawBadge({ label, message, color }: Badge): string {
  const left = MARK + PADDING + widthOf(label) + PADDING / 2
  const right = PADDING + widthOf(message) + PADDING / 2
  const width = left + right
  const title = escapeXml(`${label}: ${message}`)
  const text = (content: string, x: number) =>
    `<text x="${x}" y="14" textLength="${widthOf(content)}" lengthAdjust="spacingAndGlyphs">${escapeXml(content)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<clipPath id="r"><rect width="${width}" height="${HEIGHT}" rx="4"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="${HEIGHT}" fill="#23262d"/><rect x="${left}" width="${right}" height="${HEIGHT}" fill="${escapeXml(color)}"/></g>`,
    '<path d="M6 13.4 15 6.2M9.2 14.8 13.8 11" stroke="#e0b24a" stroke-width="1.8" stroke-linecap="round"/>',
    '<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">',
    text(label, MARK + PADDING),
    text(message, left + PADDING / 2 + 2),
    '</g></svg>',
  ].join('')
}

const NARROW = /[ijltfr.,:'| ]/
const WIDE = /[mwMWGOQ@%]/

/** Estimates the width of a text in 11 px Verdana. */
function widthOf(text: string): number {
  return Math.round(
    [...text].reduce((sum, letter) => sum + (NARROW.test(letter) ? 4.2 : WIDE.test(letter) ? 9.2 : 6.9), 0),
  )
}
