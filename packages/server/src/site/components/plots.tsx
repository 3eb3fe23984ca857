import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { Time } from '../../facts/facts.ts'
import { DAY, toDate } from '../../facts/times.ts'

/** A quantity at a time; null if it was not measured. */
type SeriesPoint = { readonly at: Time; readonly value: number | null }

/** One line of a plot. */
export type PlotLine = {
  readonly name: string
  /** Colour of a verdict. @default by the line's place */
  readonly tone?: 'safe' | 'avoid'
  /** Oldest first. */
  readonly points: readonly SeriesPoint[]
}

/** Quantities over time, on one scale from 0 up. */
export type Plot = {
  readonly name: string
  readonly lines: readonly PlotLine[]
  readonly format: (value: number) => string
  /** End of the scale. @default the largest value */
  readonly most?: number
}

/** Size of a plot and of its text in view-box units. */
export type PlotSize = { readonly width: number; readonly height: number; readonly text: number }

/** Fits a phone, where its text is 13 px or larger. */
export const NARROW: PlotSize = { width: 360, height: 180, text: 15.5 }
/** Fits from 44 rem on. */
export const WIDE: PlotSize = { width: 720, height: 300, text: 15.5 }

/** Days that the keyboard reaches. */
const STOPS = 6
/** Letters that labels have room for, so that plots beside one another align. */
const LABEL = 6
/** Width of a letter as a share of its size. */
const LETTER = 0.6

/** Rounds to a tenth of a unit, which is finer than a pixel. */
const round = (value: number) => Math.round(value * 10) / 10

/** Returns the days on which a plot has a value, oldest first. */
export function listDays({ lines }: Pick<Plot, 'lines'>): readonly Time[] {
  const measured = lines.flatMap(({ points }) =>
    points.flatMap(({ at, value }) => (value === null ? [] : at)),
  )
  return [...new Set(measured)].sort((a, b) => a - b)
}

/** Returns the values of a day: `52%`, or `Safe to pay 52%, Avoid 29%` of several lines. */
export function sayDay({ lines, format }: Plot, day: Time): string {
  const parts = lines.flatMap(({ name, points }) => {
    const value = points.find(({ at }) => at === day)?.value ?? null
    return value === null ? [] : `${lines.length > 1 ? `${name} ` : ''}${format(value)}`
  })
  return parts.join(', ')
}

/** Key of a line's colour. */
export const keyOf = ({ tone }: PlotLine, index: number): string => tone ?? `${index}`

/** Lays out a plot. Returns undefined with fewer than two days. */
export function layPlot(plot: Plot, { width, height, text }: PlotSize) {
  const { lines, format, most } = plot
  const days = listDays(plot)
  const [first] = days
  const last = days.at(-1)
  if (first === undefined || last === undefined || first === last) return undefined
  const largest = Math.max(...lines.flatMap(({ points }) => points.map(({ value }) => value ?? 0)))
  const [top, base] = [round(text * 0.8), round(height - text * 1.9)]
  const scale = scaleLinear([0, most ?? (largest * 1.1 || 1)], [base, top])
  if (most === undefined) scale.nice(3)
  const marks = scale.ticks(3).flatMap((value) => {
    const label = format(value)
    return label === '' ? [] : { y: round(scale(value)), label }
  })
  const longest = Math.max(LABEL, ...marks.map(({ label }) => label.length))
  const left = round(longest * text * LETTER + 8)
  const right = round(width - text / 2)
  const time = scaleLinear([first, last], [left, right])
  const whole = Math.round((last - first) / DAY)
  // A date has ten letters.
  const wanted = Math.min(
    5,
    whole + 1,
    Math.max(2, Math.floor((right - left) / (text * LETTER * 13 || width))),
  )
  const dates = Array.from({ length: wanted }, (_, index) => {
    const at = first + Math.round((index * whole) / (wanted - 1)) * DAY
    const anchor = index === 0 ? 'start' : index === wanted - 1 ? 'end' : 'middle'
    return { x: round(time(at)), label: toDate(at), anchor } as const
  })
  const x = ({ at }: SeriesPoint) => round(time(at))
  const y = ({ value }: SeriesPoint) => round(scale(value ?? 0))
  const isMeasured = ({ value }: SeriesPoint) => value !== null
  const drawLine = line(x, y).defined(isMeasured)
  const drawArea = area(x, base, y).defined(isMeasured)
  return {
    left,
    right,
    top,
    base,
    marks,
    dates,
    // A line without a value has no path, and an empty one is no XML.
    lines: lines.flatMap((one, index) => {
      const path = drawLine([...one.points])
      const area = lines.length === 1 ? drawArea([...one.points]) : null
      return path ? [{ key: keyOf(one, index), path, area }] : []
    }),
    /** Width of one day. */
    step: round((right - left) / whole),
    days: days.map((at, index) => ({
      x: round(time(at)),
      said: `${toDate(at)}: ${sayDay(plot, at)}`,
      isStop: isStop(index, days.length),
    })),
  }
}

/** Whether the keyboard stops at a day: at the first, the last and some between. */
function isStop(index: number, count: number): boolean {
  const stopOf = (place: number) => Math.floor((place * (STOPS - 1)) / (count - 1))
  return count <= STOPS || index === 0 || stopOf(index) > stopOf(index - 1)
}

type LinePlotProps = {
  readonly plot: Plot
  /** @default NARROW */
  readonly size?: PlotSize
  /** Hides one of two sizes of a plot, by the width of the window. */
  readonly class?: 'narrow' | 'wide'
}

/** A plot with dates below, whose days tell their values to the mouse, and some of them to the keyboard. */
export function LinePlot({ plot, size = NARROW, ...props }: LinePlotProps) {
  const shape = layPlot(plot, size)
  if (shape === undefined) return <p class="empty">Needs two days of reports.</p>
  const { left, right, top, base, marks, dates, lines, days, step } = shape
  const [first, last] = [days[0]?.said, days.at(-1)?.said]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture with parts that take the focus is a group
    <svg
      class={props.class ? `plot ${props.class}` : 'plot'}
      viewBox={`0 0 ${size.width} ${size.height}`}
      font-size={size.text}
      role="group"
      aria-label={`${plot.name}, from ${first} to ${last}`}
    >
      {marks.map(({ y, label }) => (
        <>
          <path class="grid" d={`M${left} ${y}H${right}`} />
          <text x={round(left - 6)} y={round(y + size.text / 3)} text-anchor="end">
            {label}
          </text>
        </>
      ))}
      {dates.map(({ x, label, anchor }) => (
        <text
          x={x}
          y={round(size.height - size.text / 2)}
          text-anchor={anchor === 'start' ? undefined : anchor}
        >
          {label}
        </text>
      ))}
      {lines.map(({ key, path, area }) => (
        <>
          {area !== null && <path class="p-area" d={area} />}
          <path class="p-line" data-line={key} d={path} />
        </>
      ))}
      <g class="days" stroke-width={step}>
        {days.map(({ x, said, isStop }) => (
          <g {...(isStop && { tabIndex: 0, role: 'img', 'aria-label': said })}>
            <title>{said}</title>
            <path d={`M${x} ${top}V${base}`} />
            {isStop && (
              <text x={round(left + 4)} y={round(top + size.text)}>
                {said}
              </text>
            )}
          </g>
        ))}
      </g>
    </svg>
  )
}
