import { escapeXml } from '../feeds/writeFeed.ts'

type Badge = { readonly label: string; readonly message: string; readonly color: string }

const HEIGHT = 20
const PADDING = 8
const MARK = 15

/** Draws a flat badge as SVG. Texts are stretched to their estimated width, so they fit in any font. */
export function drawBadge({ label, message, color }: Badge): string {
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
