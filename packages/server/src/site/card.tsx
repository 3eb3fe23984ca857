import type { VerdictCode } from '@touchstone402/shared'
import { renderToString } from 'preact-render-to-string'
import type { Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import type { Page, PageRequest } from '../http/deps.ts'
import { ProblemError } from '../lib/problemError.ts'
import { beginOfDay } from '../publish/publishedObservation.ts'
import { readIncidentEvidence } from '../readModel/readEvidence.ts'
import { VERDICT_COLORS } from './badge.tsx'
import { INCIDENT_NAMES } from './components/incidentList.tsx'
import { CARD_SIZE } from './components/layout.tsx'
import { type ShownSide, showSide } from './components/sides.tsx'
import type { Draw, DrawingTools } from './drawing.ts'
import { formatTime } from './format.ts'
import { findHost } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { firstExpiry, loadPast, loadVerdict } from './profile/loadProfile.ts'
import { readMainReason } from './profile/mainReason.ts'
import { isEmpty, readTimeline, type Timeline } from './profile/timeline.ts'
import { BARE_HEIGHT, TimelineLanes } from './profile/timelineDrawing.tsx'
import { isId } from './readParameter.ts'
import { cleanText, shortenAddress } from './text.ts'

/** Content of a card and its expiry. Texts may be a seller's. */
type Described = { readonly card: Card; readonly expiresAt: Time | undefined }
type Card = {
  readonly verdict: VerdictCode
  readonly headline: string
  readonly subject: string
  readonly text: string
  readonly sides: readonly ShownSide[]
  readonly asOf: string
  /** Drawn in place of the sides. */
  readonly timeline: Timeline | null
}

const MAX_AGE_SECONDS = 300
const ADDRESSES = /\b0x[0-9a-f]{40}\b/gi

/** Creates the share cards that previews of links show: `/cards/services/{host}.png` and `/cards/incidents/{id}.png`. */
export function createCardPages(deps: PageDeps, draw: Draw): Page[] {
  const site = new URL(deps.config.publicUrl).host
  const page = (section: string, describe: (deps: PageDeps, name: string) => Promise<Described>): Page => ({
    path: `/cards/${section}/:file`,
    handler: async ({ params, client }: PageRequest) => {
      const [, name = ''] = /^(.+)\.png$/.exec(params.file ?? '') ?? []
      const { card, ...options } = await describe(deps, name)
      const body = await draw(keyOf(card), (tools) => writeCard(card, site, tools), client)
      return { ...options, type: 'image/png', body, maxAgeSeconds: MAX_AGE_SECONDS }
    },
  })
  return [page('services', describeHost), page('incidents', describeIncident)]
}

async function describeHost(deps: PageDeps, name: string): Promise<Described> {
  const summary = await findHost(deps, name)
  const view = await loadVerdict(deps, summary)
  const { verdict, label, lastChecked, host } = view.profile
  const [{ text, sides }, past] = await Promise.all([readMainReason(deps.store, view), loadPast(deps, view)])
  // Up to the end of the day, so that the passing of time alone draws no other card.
  const timeline = readTimeline({
    ...past,
    state: view.focus.state,
    now: beginOfDay(view.now) + DAY - 1,
  })
  // An unknown host may have been asked without anything being measured.
  const done = verdict === 'unknown' ? 'last asked' : 'measured'
  const asOf = lastChecked === null ? 'not measured yet' : `${done} ${lastChecked}`
  return {
    card: {
      verdict,
      headline: label,
      subject: host,
      text,
      sides,
      asOf,
      timeline: isEmpty(timeline) ? null : timeline,
    },
    expiresAt: firstExpiry(summary, view.now),
  }
}

async function describeIncident({ store, clock }: PageDeps, id: string): Promise<Described> {
  const found = isId(id) ? await readIncidentEvidence(store, id) : undefined
  if (found === undefined) throw new ProblemError(404, 'unknown_incident', 'No incident has this id.')
  const { kind, host, status, summary, detectedAt } = found.incident
  const isOpen = status === 'open'
  return {
    card: {
      verdict: isOpen ? 'avoid' : 'unknown',
      headline: INCIDENT_NAMES[kind],
      subject: host,
      text: isOpen ? summary : `Resolved: ${summary}`,
      sides: found.sides.map((side) => showSide(side, () => false, clock.now())),
      asOf: `detected ${detectedAt.slice(0, 10)}`,
      timeline: null,
    },
    expiresAt: undefined,
  }
}

/** Returns the cache key of a card: its drawn content. Another good probe today leaves it unchanged. */
const keyOf = ({ timeline, ...card }: Card) =>
  JSON.stringify([
    card,
    timeline && { ...timeline, days: timeline.days.map(({ from, share }) => [from, share]) },
  ])

/** Lays out a card as SVG, with the timeline as its lower half. */
async function writeCard(card: Card, site: string, { satori, fonts }: DrawingTools): Promise<string> {
  // Its elements are React's in name alone.
  const picture = (<CardPicture card={card} site={site} />) as unknown as Parameters<typeof satori>[0]
  const drawn = await satori(picture, { ...CARD_SIZE, fonts, embedFont: false })
  if (card.timeline === null) return drawn
  const place = { x: 56, y: 312, width: CARD_SIZE.width - 112, height: BARE_HEIGHT }
  const lower = (
    <svg {...place} aria-hidden="true">
      <style>{TIMELINE_STYLE}</style>
      <TimelineLanes timeline={card.timeline} isBare />
    </svg>
  )
  return drawn.replace(/<\/svg>\s*$/, `${renderToString(lower)}</svg>`)
}

/** Colours of the timeline on a card, which has no colour scheme. */
const TIMELINE_STYLE = [
  '.t-up { fill: #2c9a66 } .t-down { fill: #c8352c } .t-gap, .t-catch { fill: none; stroke: none } rect { shape-rendering: crispEdges } .t-frame { fill: none; stroke: #c9c5b8 }',
  '.t-price { stroke: #191b20; stroke-width: 4 } .t-axis { stroke: #c9c5b8 } .t-cut { stroke: #ab1f1a; stroke-dasharray: 5 5 }',
  '.r0 { fill: #2f66b0 } .r1 { fill: #b4531f } .r2 { fill: #6a4fb3 } .r3 { fill: #0d7377 } .t-pin { fill: none; stroke-width: 4 }',
  '.p-incident, .p-failed { stroke: #ab1f1a } .p-delivered { fill: #0a6b42 } .p-announced { fill: #2f66b0 }',
].join('\n')

/** Text on a card: one clean line of at most `max` characters, with short addresses, wrapped to at most `lines`. */
function Text({ text, max, lines = 1, ...style }: { text: string; max: number; lines?: number } & Style) {
  const shown = cleanText(text.replace(ADDRESSES, shortenAddress), max)
  return <div style={{ ...WRAPPED, lineClamp: lines, ...style }}>{shown}</div>
}

type Style = Readonly<Record<string, string | number>>
const WRAPPED: Style = { display: 'block', lineHeight: 1.25, wordBreak: 'break-word' }
const ROW: Style = { display: 'flex', justifyContent: 'space-between', alignItems: 'center' }
const COLUMN: Style = { display: 'flex', flexDirection: 'column' }
const BOX: Style = { ...COLUMN, flex: 1, padding: '14px 22px', border: '2px solid #e2dfd6', borderRadius: 14 }
const SHEET: Style = { ...COLUMN, width: '100%', height: '100%', background: '#fffefb', color: '#191b20' }
const MUTED = '#5b606b'

function CardPicture({ card, site }: { readonly card: Card; readonly site: string }) {
  const { verdict, headline, subject, text, sides, asOf, timeline } = card
  return (
    <div style={{ ...SHEET, fontFamily: 'Manrope', fontWeight: 500 }}>
      <div style={{ ...ROW, padding: '24px 56px', color: '#fff', background: VERDICT_COLORS[verdict] }}>
        <Text text={headline} max={40} fontSize={72} fontWeight={800} />
      </div>
      <div style={{ ...COLUMN, flexGrow: 1, padding: '26px 56px 0', gap: 12 }}>
        <Text text={subject} max={90} lines={2} fontSize={subject.length > 40 ? 36 : 48} fontWeight={800} />
        <Text text={text} max={200} lines={2} fontSize={32} />
        <div style={{ display: 'flex', gap: 24 }}>
          {(timeline === null ? sides.slice(0, 2) : []).map(({ label, values, from }) => (
            <div style={BOX}>
              <Text text={label} max={50} fontSize={24} color={MUTED} />
              <Text text={values[0]?.text ?? 'no terms'} max={120} lines={3} fontSize={28} />
              {from !== undefined && <Text text={formatTime(from)} max={30} fontSize={24} color={MUTED} />}
            </div>
          ))}
        </div>
      </div>
      <div style={{ ...ROW, margin: '0 56px', padding: '14px 0 20px', borderTop: '2px solid #e2dfd6' }}>
        <Text text="Touchstone" max={20} fontSize={28} fontWeight={800} />
        <Text text={`${asOf} · ${site}`} max={70} fontSize={24} color={MUTED} />
      </div>
    </div>
  )
}
