/** Longest text that is read as a price. */
const MAX_PRICE_TEXT = 40
/** Digits with a point at most, no sign, no exponent and no separators, before or after a name of the dollar. */
const PRICE = /^(?:(\$) ?|(usdc?) )?(\d{1,9}(?:\.\d{1,18})?)(?: ?(usdc?|\$))?$/i

/** A price as a document states it, in dollars unless it names another asset. */
export type TextPrice = {
  readonly usd: number
  /** Whether the text itself names dollars or USDC. */
  readonly namesDollars: boolean
  /** Whether it has a point, so that it cannot be an atomic amount. */
  readonly hasPoint: boolean
}

/** Parses a price such as `0.01`, `"$0.01"`, `"0.01 USDC"` or `"free"`; null for any other form, which is not guessed. */
export function readTextPrice(value: unknown): TextPrice | null {
  if (typeof value === 'number')
    return Number.isFinite(value) && value >= 0 && value < 1e9
      ? { usd: value, namesDollars: false, hasPoint: !Number.isInteger(value) }
      : null
  if (typeof value !== 'string' || value.length > MAX_PRICE_TEXT) return null
  const text = value.trim()
  if (/^free$/i.test(text)) return { usd: 0, namesDollars: true, hasPoint: false }
  const [, sign, before, digits, after] = PRICE.exec(text) ?? []
  if (digits === undefined) return null
  return {
    usd: Number(digits),
    namesDollars: (sign ?? before ?? after) !== undefined,
    hasPoint: digits.includes('.'),
  }
}
