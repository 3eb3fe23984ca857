import { asObject } from '@touchstone402/shared'
import { type Row, readList, readObject } from '../lib/fields.ts'

const MAX_DEPTH = 6
/** Maximum number of steps through the schemas and samples of one listing, which are untrusted. */
export const MAX_STEPS = 5_000
/** Characters of text that take as long as one step. */
const STEP_CHARS = 16
const MAX_CHOICES = 1_000
const MAX_TEXT = 1_000
const MAX_PATTERN_TEXT = 256

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ['string', (value) => typeof value === 'string'],
  ['number', Number.isFinite],
  ['integer', Number.isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['array', Array.isArray],
  ['object', (value) => asObject(value) !== undefined],
  ['null', (value) => value === null],
])

const FORMATS: ReadonlyMap<unknown, (text: string) => boolean> = new Map([
  ['uri', (text) => URL.canParse(text)],
  ['url', (text) => URL.canParse(text)],
  ['email', (text) => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text)],
  ['uuid', (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)],
  ['date', (text) => /^\d{4}-\d\d-\d\d$/.test(text)],
  ['date-time', (text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))],
])

/** Texts that stand for a value. */
const PLACEHOLDERS: readonly RegExp[] = [
  /^\s*$/,
  /\.\.\.|…/,
  /<[^<>]+>|\{\w+\}|\[\w+\]|\w\|\w/,
  /^(an? |the |some |any )?(string|text|number|integer|int|float|boolean|bool|array|object|value|example|sample|placeholder|null|undefined|todo|tbd)( parameter| value| here)?$/i,
  /^(your|my|insert|enter|replace)[-_ ]|your[A-Z]|0xyour|your[-_ ](api|key|address|wallet|token|text|prompt|name|id)/i,
  /^0x[0-9a-f]{0,9}$/i,
  /x{3}|yyyy/i,
]

/** Texts that describe a value. */
const DESCRIPTION =
  /e\.g\.|i\.e\.|\b(optional|required|defaults?( to|:)|parameter)\b|^(the |an? )?(url|name|id|list|address|text|type|number|query|prompt|description|maximum|minimum|comma.separated) (of|to|for|from|that|which|in|with|prompt|describing|list)\b/i

/**
 * Whether a sample can be sent as it is: it fits its own schema, and no text in it is a placeholder or a description.
 * A sample whose schema cannot be checked is not usable.
 */
export function isUsable(value: unknown, schema: Row, steps: Steps = { left: MAX_STEPS }): boolean {
  return fits(value, schema, MAX_DEPTH, steps)
}

/** Steps that may still be taken. Counted down; from 0 on, nothing is usable. */
export type Steps = { left: number }

/** Takes a step for some characters. Returns whether there was one left. */
export function takeStep(steps: Steps, chars = 0): boolean {
  steps.left -= 1 + chars / STEP_CHARS
  return steps.left >= 0
}

function fits(value: unknown, schema: Row, depth: number, steps: Steps): boolean {
  if (depth === 0 || !takeStep(steps, typeof value === 'string' ? Math.min(value.length, MAX_TEXT) : 0))
    return false
  if (['$ref', 'allOf', 'not', 'if'].some((name) => schema[name] !== undefined)) return false
  const options = readList(schema, 'anyOf', 'oneOf')
  if (options !== undefined) return options.some((one) => fits(value, asObject(one) ?? {}, depth - 1, steps))
  if (
    schema.type !== undefined &&
    ![schema.type]
      .flat()
      .slice(0, TYPES.size)
      .some((type) => TYPES.get(type)?.(value) === true)
  ) {
    return false
  }
  const choices = schema.const === undefined ? readList(schema, 'enum') : [schema.const]
  if (choices !== undefined) return choices.slice(0, MAX_CHOICES).includes(value)
  if (typeof value === 'number') return isWithin(value, schema.minimum, schema.maximum)
  if (typeof value === 'string') return isUsableText(value, schema)
  if (Array.isArray(value)) {
    const items = readObject(schema, 'items') ?? {}
    const isCounted = isWithin(value.length, schema.minItems, schema.maxItems)
    return isCounted && value.every((item) => fits(item, items, depth - 1, steps))
  }
  const object = asObject(value)
  return object === undefined || fitsObject(object, schema, depth - 1, steps)
}

function fitsObject(object: Row, schema: Row, depth: number, steps: Steps): boolean {
  const properties = readObject(schema, 'properties')
  const required = (readList(schema, 'required') ?? []).slice(0, MAX_CHOICES)
  return (
    required.every((name) => typeof name === 'string' && Object.hasOwn(object, name)) &&
    Object.entries(object).every(([name, value]) =>
      fits(value, readObject(properties, name) ?? {}, depth, steps),
    )
  )
}

function isUsableText(text: string, schema: Row): boolean {
  const format = FORMATS.get(schema.format)
  return (
    isWithin(text.length, schema.minLength, schema.maxLength) &&
    text.length <= MAX_TEXT &&
    (format === undefined || format(text)) &&
    fitsPattern(text, schema.pattern) &&
    text !== schema.description &&
    !DESCRIPTION.test(text) &&
    !PLACEHOLDERS.some((pattern) => pattern.test(text))
  )
}

/** Patterns are untrusted and may take exponential time, so only simple ones are checked; others do not fit. */
function fitsPattern(text: string, pattern: unknown): boolean {
  if (typeof pattern !== 'string') return true
  const repeats = pattern.match(/[*+?]|\{\d*,\d*\}/g) ?? []
  if (text.length > MAX_PATTERN_TEXT || repeats.length > 1 || /[()]/.test(pattern)) return false
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
}

const isWithin = (value: number, least: unknown, most: unknown) =>
  !(typeof least === 'number' && value < least) && !(typeof most === 'number' && value > most)
