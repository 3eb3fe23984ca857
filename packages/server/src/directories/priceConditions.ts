import { asObject } from '@touchstone402/shared'
import type { Row } from '../lib/fields.ts'

/** Fields that say how a price is made. */
const MODES = ['pricingMode', 'pricing_mode', 'priceMode', 'price_mode', 'mode', 'priceType', 'price_type']
/** Modes of one price per call. */
const FIXED = /^(fixed|flat|exact|static|per[-_ ]?(call|request)|one[-_ ]?time)$/i
/** Fields that bound a price. */
const BOUNDS = [
  'min',
  'max',
  'minimum',
  'maximum',
  'minPrice',
  'maxPrice',
  'min_price',
  'max_price',
  'minAmount',
  'maxAmount',
]
/** Fields that name what a price is for. */
const UNITS = ['unit', 'per', 'priceUnit', 'price_unit']
const CALL = /^(usdc?|dollars?|(per[-_ ]?)?(call|request|query|item))s?$/i

/**
 * Whether an entry states a range or a rate, such as a price by tokens with a minimum, and no price of one call. What a
 * call costs then follows from its input.
 */
export function isConditional(entry: Row): boolean {
  return [entry, asObject(entry.price) ?? {}, asObject(entry.pricing) ?? {}].some(
    (part) =>
      MODES.some((name) => isText(part[name]) && !FIXED.test(part[name].trim())) ||
      BOUNDS.some((name) => part[name] !== undefined && part[name] !== null) ||
      UNITS.some((name) => isText(part[name]) && !CALL.test(part[name].trim())),
  )
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
