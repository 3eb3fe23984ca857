import type { VerdictCode } from '@touchstone402/shared'
import { renderToString } from 'preact-render-to-string'
import { CARD_SIZE, Stone } from '../components/layout.tsx'
import { MarkSprite } from '../components/verdictMark.tsx'
import { VERDICT_COLORS } from '../verdictColors.ts'
import { cardText, type FittedText, fitText } from './fitText.ts'

/** Font family of cards. */
export const CARD_FONT = 'Manrope'

/** What a card shows. Texts may be a seller's. */
export type Card = {
  /** Null if the card is of no verdict. */
  readonly verdict: VerdictCode | null
  /** Large figure under the mark. @default none */
  readonly figure?: string
  /** Few words under the mark or figure. */
  readonly note: string
  readonly subject: string
  /** Shown largest, in the colour of the verdict. */
  readonly headline: string
  /** Each begins a line. */
  readonly sentences: readonly string[]
  /** Date of what the card says. */
  readonly asOf: string
  /** Counts by verdict, as a bar of their shares. @default none */
  readonly shares?: readonly {
    readonly verdict: VerdictCode
    readonly label: string
    readonly count: number
  }[]
}

/** Colour of the logo's stone. */
const ROCK = '#23262d'
const PLATE = 300
const LEFT = PLATE + 56
const RIGHT = CARD_SIZE.width - 56
const WIDTH = RIGHT - LEFT
const FOOT = CARD_SIZE.height - 52

const STYLE = `
text { font-family: ${CARD_FONT}; font-weight: 500; fill: #191b20; }
.strong { font-weight: 800; }
.muted { fill: #5b606b; }
.white { fill: #fff; }
.cut { fill: none; stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; }
.dashed { fill: none; stroke: currentColor; stroke-width: 2; stroke-dasharray: 3.2 2.4; }
.line { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linecap: round; stroke-linejoin: round; }
.rock { fill: ${ROCK}; }
.streak { stroke: #e0b24a; stroke-width: 3.4; stroke-linecap: round; }
.thin { stroke-width: 1.6; opacity: .75; }
`

/** Draws a card as SVG. The renderer escapes all text; nothing is loaded. */
export function drawCard(card: Card, site: string): string {
  const color = card.verdict === null ? ROCK : VERDICT_COLORS[card.verdict]
  const { width, height } = CARD_SIZE
  return renderToString(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      aria-hidden="true"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <style>{`${STYLE}.cut { stroke: ${color}; }`}</style>
      <MarkSprite />
      <rect width={width} height={height} fill="#fffefb" />
      <Plate card={card} color={color} />
      <Words card={card} color={color} />
      <path d={`M${LEFT} ${FOOT - 46}H${RIGHT}`} stroke="#e2dfd6" stroke-width="2" />
      <svg x={LEFT} y={FOOT - 26} width="36" height="36" viewBox="0 0 32 32" aria-hidden="true">
        <Stone />
      </svg>
      <text x={LEFT + 50} y={FOOT + 2} font-size="28" class="strong">
        Touchstone
      </text>
      <text x={RIGHT} y={FOOT + 2} font-size="24" text-anchor="end" class="muted">
        {cardText(`${card.asOf} · ${site}`, 60)}
      </text>
    </svg>,
  )
}

type PartProps = { readonly card: Card; readonly color: string }

function Plate({ card: { verdict, figure, note }, color }: PartProps) {
  const size = figure === undefined ? 170 : 96
  const middle = PLATE / 2
  return (
    <>
      <rect width={PLATE} height={CARD_SIZE.height} fill={color} />
      <svg
        x={middle - size / 2}
        y={figure === undefined ? 190 : 140}
        width={size}
        height={size}
        style="color: #fff"
        aria-hidden="true"
      >
        {verdict === null ? (
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <Stone />
          </svg>
        ) : (
          <use href={`#m-${verdict}`} width={size} height={size} />
        )}
      </svg>
      {figure !== undefined && (
        <text
          x={middle}
          y="375"
          font-size={figure.length > 3 ? 84 : 132}
          text-anchor="middle"
          class="strong white"
        >
          {cardText(figure, 6)}
        </text>
      )}
      <text x={middle} y="430" font-size="28" text-anchor="middle" class="white">
        {cardText(note, 18)}
      </text>
    </>
  )
}

const SUBJECT_SIZES = [
  [42, 1],
  [34, 2],
] as const
const HEADLINE_SIZES = [
  [88, 1],
  [64, 2],
  [48, 3],
  [42, 4],
] as const
const SENTENCE_SIZES = [
  [34, 2],
  [30, 3],
  [26, 4],
] as const
const LINE = 1.22
const GAP = 18

/** Subject, headline and sentence as one block, centred above the foot. */
function Words({ card, color }: PartProps) {
  const { subject, headline, sentences, shares = [] } = card
  const total = shares.reduce((sum, { count }) => sum + count, 0)
  const blocks: { text: FittedText; class?: string; fill?: string }[] = [
    { text: fitText(cardText(subject, 300), { width: WIDTH, sizes: SUBJECT_SIZES }), class: 'muted' },
    {
      text: fitText(cardText(headline, 200), { width: WIDTH, sizes: HEADLINE_SIZES }),
      class: 'strong',
      fill: color,
    },
    ...sentences.map((sentence) => ({
      text: fitText(cardText(sentence, 300), { width: WIDTH, sizes: SENTENCE_SIZES }),
    })),
  ]
  const height = blocks.reduce((sum, { text }) => sum + heightOf(text) + GAP, total > 0 ? 90 : -GAP)
  let y = (FOOT - 46 - height) / 2
  return (
    <>
      {blocks.map(({ text, ...look }) => {
        const top = y
        y += heightOf(text) + GAP
        return text.lines.map((line, index) => (
          <text
            x={LEFT}
            y={Math.round(top + text.size * (0.95 + LINE * index))}
            font-size={text.size}
            class={look.class}
            {...(look.fill !== undefined && { style: `fill: ${look.fill}` })}
          >
            {line}
          </text>
        ))
      })}
      {total > 0 && <Shares shares={shares} total={total} y={y + 16} />}
    </>
  )
}

const heightOf = ({ lines, size }: FittedText) => lines.length * size * LINE

function Shares({ shares, total, y }: { shares: NonNullable<Card['shares']>; total: number; y: number }) {
  const step = WIDTH / shares.length
  let x = LEFT
  return (
    <>
      {shares.map(({ verdict, count, label }, index) => {
        const width = (WIDTH * count) / total
        x += width
        return (
          <>
            <rect
              x={x - width}
              y={y}
              width={Math.max(0, width - 3)}
              height="22"
              fill={VERDICT_COLORS[verdict]}
            />
            <rect
              x={LEFT + index * step}
              y={y + 44}
              width="18"
              height="18"
              rx="4"
              fill={VERDICT_COLORS[verdict]}
            />
            <text x={LEFT + index * step + 28} y={y + 62} font-size="23">
              {cardText(`${label} ${count}`, 30)}
            </text>
          </>
        )
      })}
    </>
  )
}
