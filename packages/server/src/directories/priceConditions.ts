import { asObject } from '@touchstone402/shared'
import type { Row } from '../lib/fields.ts'

/** Fields that say how a price is made, in an entry and in its price. */
const MODES = ['pricingMode', 'pricing_mode', 'priceMode', 'price_mode', 'priceType', 'price_type']
/** Modes of a price that follows the input. */
const VARIABLE =
  /^(dynamic|variable|range|usage|usage[-_ ]based|metered|tiered|upto|up[-_ ]to|quote|per[-_ ]?tokens?)$/i
/** Bounds of a price. */
const BOUNDS = ['min', 'max', 'minimum', 'maximum']
/** Fields that name what a price is for. */
const UNITS = ['unit', 'per', 'priceUnit', 'price_unit']
/** Units of which a call takes any number. */
const MEASURE =
  /\b(tokens?|char(acter)?s?|words?|bytes?|[kmg]b|seconds?|minutes?|hours?|pages?|rows?|1k|1m|1000)\b/i

/**
 * Whether an entry states a range or a rate, such as a price by tokens with a minimum, and no price of one call. What a
 * call costs then follows from its input. Other words claim the price that is stated: otherwise any word would free a
 * seller of its claim.
 */
export function isConditional(entry: Row): boolean {
  const prices = [entry.price, entry.pricing].map(asObject).filter((one) => one !== undefined)
  const isVariable = (value: unknown) => typeof value === 'string' && VARIABLE.test(value.trim())
  const isMeasured = (value: unknown) => typeof value === 'string' && MEASURE.test(value)
  return (
    [entry, ...prices].some((part) => MODES.some((name) => isVariable(part[name]))) ||
    [entry, ...prices].some((part) => UNITS.some((name) => isMeasured(part[name]))) ||
    prices.some((price) => isVariable(price.mode) || isVariable(price.type) || hasRange(price))
  )
}

/** Whether a price has bounds that differ. */
function hasRange(price: Row): boolean {
  const bounds = BOUNDS.flatMap((name) => price[name] ?? [])
  return new Set([...bounds, ...[price.amount ?? []].flat()].map((bound) => Number(bound))).size > 1
}
