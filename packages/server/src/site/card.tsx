import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page, PageRequest } from '../http/deps.ts'
import { ProblemError } from '../http/problems.ts'
import { admit, createLimiter } from '../http/rateLimit.ts'
import { readIncidentEvidence } from '../readModel/readEvidence.ts'
import { VERDICT_COLORS } from './badge.tsx'
import { INCIDENT_NAMES } from './components/incidentList.tsx'
import { CARD_SIZE } from './components/layout.tsx'
import { showSide } from './components/sides.tsx'
import { formatDate, formatTime } from './format.ts'
import { findHost } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { firstExpiry, loadVerdict } from './profile/loadProfile.ts'
import { readMainReason } from './profile/mainReason.ts'
import { isId } from './readParameter.ts'
import { cleanText, shortenAddress } from './text.ts'

/** Content of a card and its expiry. Texts may be a seller's. */
type Described = Awaited<ReturnType<typeof describeHost>>
type Card = Described['card']

const MAX_AGE_SECONDS = 300
/** Cards that a client may have drawn; those that are kept are not counted. */
const DRAWN_PER_CLIENT = { points: 30, windowSeconds: 60 }
const MAX_KEPT = 256
const MAX_WAITING = 32
const ADDRESSES = /\b0x[0-9a-f]{40}\b/gi

/** Creates the share cards that previews of links show: `/cards/services/{host}.png` and `/cards/incidents/{id}.png`. */
export function createCardPages(deps: PageDeps): Page[] {
  const draw = createDrawing(new URL(deps.publicUrl).host)
  const page = (section: string, describe: (deps: PageDeps, name: string) => Promise<Described>): Page => ({
    path: `/cards/${section}/:file`,
    handler: async ({ params, client }: PageRequest) => {
      const [, name = ''] = /^(.+)\.png$/.exec(params.file ?? '') ?? []
      const { card, ...options } = await describe(deps, name)
      return { ...options, type: 'image/png', body: await draw(card, client), maxAgeSeconds: MAX_AGE_SECONDS }
    },
  })
  return [page('services', describeHost), page('incidents', describeIncident)]
}

async function describeHost(deps: PageDeps, name: string) {
  const summary = await findHost(deps, name)
  const view = await loadVerdict(deps, summary)
  const { verdict, label, lastChecked, host } = view.profile
  const { text, sides } = await readMainReason(deps.store, view)
  // An unknown host may have been asked without anything being measured.
  const done = verdict === 'unknown' ? 'last asked' : 'measured'
  const asOf = lastChecked === null ? 'not measured yet' : `${done} ${formatDate(Date.parse(lastChecked))}`
  return {
    card: { verdict, headline: label as string, subject: host, text, sides, asOf },
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
      asOf: `detected ${formatDate(Date.parse(detectedAt))}`,
    },
    expiresAt: undefined,
  }
}

/**
 * Creates the drawing of cards: one at a time, in some 30 ms of the event loop since texts are bounded; the first takes 0.2 s. The last
 * {@link MAX_KEPT} are kept.
 */
function createDrawing(site: string) {
  const clients = createLimiter(DRAWN_PER_CLIENT)
  const kept = new Map<string, Promise<Uint8Array>>()
  const libraries = loadLibraries()
  // A platform without a binary has no cards, and everything else.
  libraries.catch(() => {})
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  const make = async (card: Card) => {
    const { satori, renderAsync, fonts, font } = await libraries
    // Letters are drawn off the event loop.
    const options = { ...CARD_SIZE, fonts, embedFont: false }
    // Its elements are React's in name alone.
    const picture = (<CardPicture card={card} site={site} />) as unknown as Parameters<typeof satori>[0]
    const svg = await satori(picture, options)
    return (await renderAsync(svg, { font })).asPng()
  }
  return (card: Card, client: string): Promise<Uint8Array> => {
    const key = JSON.stringify(card)
    const known = kept.get(key)
    if (known !== undefined) return known
    admit(clients, client)
    if (waiting >= MAX_WAITING)
      throw new ProblemError(503, 'queue_full', 'Many cards are being drawn.', { retryAfterSeconds: 5 })
    waiting += 1
    const made = last.then(() => make(card)).finally(() => (waiting -= 1))
    last = made.catch(() => kept.delete(key))
    kept.set(key, made)
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    return made
  }
}

/** The fonts come with the service, so a card looks the same on every machine. */
async function loadLibraries() {
  const { resolve } = createRequire(import.meta.url)
  const files = ['500Medium/Manrope_500Medium', '800ExtraBold/Manrope_800ExtraBold'].map((file) =>
    resolve(`@expo-google-fonts/manrope/${file}.ttf`),
  )
  // The drawing library asks Node for a report to find its binary. Without this, Node looks up the name of every connected
  // peer for it, which holds up the process for as long as the resolver takes.
  Object.assign(process.report, { excludeNetwork: true })
  const [{ default: satori }, { renderAsync }, ...data] = await Promise.all([
    import('satori'),
    import('@resvg/resvg-js'),
    ...files.map((file) => readFile(file)),
  ])
  const weights = [500, 800] as const
  const fonts = data.map((one, index) => ({ name: 'Manrope', data: one, weight: weights[index] ?? 500 }))
  const font = { loadSystemFonts: false, fontFiles: files, defaultFontFamily: 'Manrope' }
  return { satori, renderAsync, fonts, font }
}

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
  const { verdict, headline, subject, text, sides, asOf } = card
  return (
    <div style={{ ...SHEET, fontFamily: 'Manrope', fontWeight: 500 }}>
      <div style={{ ...ROW, padding: '24px 56px', color: '#fff', background: VERDICT_COLORS[verdict] }}>
        <Text text={headline} max={40} fontSize={72} fontWeight={800} />
      </div>
      <div style={{ ...COLUMN, flexGrow: 1, padding: '26px 56px 0', gap: 12 }}>
        <Text text={subject} max={90} lines={2} fontSize={subject.length > 40 ? 36 : 48} fontWeight={800} />
        <Text text={text} max={200} lines={2} fontSize={32} />
        <div style={{ display: 'flex', gap: 24 }}>
          {sides.slice(0, 2).map(({ label, values, from }) => (
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
