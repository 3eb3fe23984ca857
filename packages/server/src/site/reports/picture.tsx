import { renderToString } from 'preact-render-to-string'
import { VERDICT_COLORS } from '../badge.tsx'
import { CARD_SIZE } from '../components/layout.tsx'
import { keyOf, layPlot, listDays, type Plot } from '../components/plots.tsx'
import { cleanText } from '../text.ts'

const MARGIN = 56
const INK = '#191b20'
const MUTED = '#5b606b'
const LINE = '#e2dfd6'
/** Colours and dashes of lines, as the stylesheet has them in a light window. */
const TONES: Readonly<Record<string, readonly [color: string, dash?: string]>> = {
  safe: [VERDICT_COLORS.safe],
  avoid: [VERDICT_COLORS.avoid, '10 5'],
  0: ['#2f66b0'],
  1: ['#855600', '10 5'],
  2: ['#0a6b42', '3 5'],
  3: ['#7a3e9d', '14 5 3 5'],
  4: ['#ab1f1a', '6 3'],
  5: ['#505968', '2 3'],
}
const PLOT = { width: CARD_SIZE.width - 2 * MARGIN, height: 340, text: 24 }
const LEGEND = { columns: 3, size: 22, step: 32, max: 20 }

type Picture = {
  readonly plot: Plot
  /** Line below the plot. */
  readonly source: string
}

/** Writes a plot as an SVG document that needs no stylesheet. */
export function writePicture({ plot, source }: Picture): string {
  const { width, height } = CARD_SIZE
  return renderToString(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      font-family="Manrope"
      font-weight="500"
      fill={MUTED}
    >
      <title>{plot.name}</title>
      <path d={`M0 0H${width}V${height}H0z`} fill="#fffefb" />
      <text x={MARGIN} y="86" font-size="46" font-weight="800" fill={INK}>
        {cleanText(plot.name, 44)}
      </text>
      <Names plot={plot} />
      <g transform={`translate(${MARGIN} 205)`}>
        <Drawn plot={plot} />
      </g>
      <text x={MARGIN} y={height - 32} font-size="22">
        {cleanText(source, 110)}
      </text>
    </svg>,
  )
}

/** Names of the lines with their latest values, three to a row. */
function Names({ plot }: { readonly plot: Plot }) {
  const last = listDays(plot).at(-1)
  const { columns, size, step, max } = LEGEND
  return (
    <g font-size={size} fill={INK}>
      {plot.lines.map((one, index) => {
        const [color = INK, dash] = TONES[keyOf(one, index)] ?? []
        const [x, y] = [
          MARGIN + (index % columns) * (PLOT.width / columns),
          136 + Math.floor(index / columns) * step,
        ]
        const value = one.points.find(({ at }) => at === last)?.value ?? null
        return (
          <>
            <path d={`M${x} ${y - 7}h36`} stroke={color} stroke-width="4" stroke-dasharray={dash} />
            <text x={x + 48} y={y}>
              {cleanText(one.name, max)} {value === null ? '' : plot.format(value)}
            </text>
          </>
        )
      })}
    </g>
  )
}

function Drawn({ plot }: { readonly plot: Plot }) {
  const shape = layPlot(plot, PLOT)
  if (shape === undefined)
    return (
      <text y={PLOT.height / 2} font-size="32">
        Needs two days of reports.
      </text>
    )
  return (
    <g font-size={PLOT.text}>
      {shape.marks.map(({ y, label }) => (
        <>
          <path d={`M${shape.left} ${y}H${shape.right}`} stroke={LINE} stroke-width="2" />
          <text x={shape.left - 8} y={y + 8} text-anchor="end">
            {label}
          </text>
        </>
      ))}
      {shape.dates.map(({ x, label, anchor }) => (
        <text x={x} y={PLOT.height - 8} text-anchor={anchor}>
          {label}
        </text>
      ))}
      {shape.lines.map(({ key, path }) => {
        const [color = INK, dash] = TONES[key] ?? []
        return <path d={path} fill="none" stroke={color} stroke-width="4" stroke-dasharray={dash} />
      })}
    </g>
  )
}
