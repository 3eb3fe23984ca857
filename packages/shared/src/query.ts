import { canonicalizeUrl, InvalidUrlError } from './canonicalUrl.ts'
import { decodeCursor } from './feedCursor.ts'
import { DECIMAL_PATTERN } from './money.ts'
import { ADDRESS_PATTERN } from './networks.ts'
import { DateSchema, TimestampSchema } from './schemas/fields.ts'

/** One query parameter as the contract declares it. */
export type QueryParameter = { description: string; required?: true } & (
  | { kind: 'url'; example: string }
  | { kind: 'integer'; min: number; max: number; default: number; clamp?: true }
  | { kind: 'flag' }
  | { kind: 'address' }
  | { kind: 'decimal' }
  | { kind: 'package' }
  | { kind: 'packages' }
  | { kind: 'cursor' }
  | { kind: 'time' }
  | { kind: 'choice'; choices: readonly string[]; default: string }
)

type QueryTable = Readonly<Record<string, QueryParameter>>
type Value<P> = P extends { kind: 'integer' }
  ? number
  : P extends { kind: 'flag' }
    ? boolean
    : P extends { kind: 'choice'; choices: readonly (infer Choice)[] }
      ? Choice
      : P extends { kind: 'address' }
        ? `0x${string}`
        : string
type IsAlwaysSet<P> = P extends { required: true } | { kind: 'integer' | 'flag' | 'choice' } ? true : false

/** Values of a valid query in canonical form, with defaults filled in: equal calls have equal values. */
export type QueryOf<T extends QueryTable> = {
  [K in keyof T as IsAlwaysSet<T[K]> extends true ? K : never]: Value<T[K]>
} & { [K in keyof T as IsAlwaysSet<T[K]> extends true ? never : K]?: Value<T[K]> }

/** Error of one parameter. */
export type QueryError = {
  parameter: string
  code: 'missing' | 'repeated' | 'not_scalar' | 'not_encoded' | 'malformed' | 'out_of_range'
  message: string
}

/** Result of parsing a query. */
export type ParsedQuery<T extends QueryTable> =
  | { ok: true; value: QueryOf<T> }
  | { ok: false; errors: QueryError[] }

/**
 * Parses a raw query string (without `?`). A declared parameter that is repeated, bracketed, empty or malformed is
 * an error; undeclared parameters are ignored.
 */
export function parseQuery<T extends QueryTable>(table: T, search: string): ParsedQuery<T> {
  const { values, errors } = collect(table, search)
  const value: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(table)) {
    if (errors.some((error) => error.parameter === name)) continue
    const given = values.get(name)
    if (given === undefined) {
      if (parameter.required)
        errors.push({ parameter: name, code: 'missing', message: `${name} is required` })
      else if ('default' in parameter) value[name] = parameter.default
      else if (parameter.kind === 'flag') value[name] = false
      continue
    }
    const read = readValue(parameter, given)
    if ('code' in read) errors.push({ parameter: name, ...read, message: `${name}: ${read.message}` })
    else value[name] = read.value
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: value as QueryOf<T> }
}

function collect(table: QueryTable, search: string): { values: Map<string, string>; errors: QueryError[] } {
  const values = new Map<string, string>()
  const errors: QueryError[] = []
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const rawName = decode(cut < 0 ? pair : pair.slice(0, cut))
    // `limit[]` and `limit[x]` are forms of `limit`; deeper nesting such as `limit[__proto__][x]` is undeclared.
    const bracketed = rawName === undefined ? null : /^([^[\]]+)\[[^[\]]*\]$/.exec(rawName)
    const name = bracketed?.[1] ?? rawName
    if (name === undefined || !Object.hasOwn(table, name)) continue
    if (bracketed !== null) {
      errors.push({
        parameter: name,
        code: 'not_scalar',
        message: `${name} takes one value, not a list or an object`,
      })
      continue
    }
    const value = cut < 0 ? '' : decode(pair.slice(cut + 1))
    if (value === undefined) {
      errors.push({
        parameter: name,
        code: 'not_encoded',
        message: `${name} is not valid percent-encoded UTF-8`,
      })
    } else if (values.has(name)) {
      errors.push({ parameter: name, code: 'repeated', message: `${name} may be given once` })
    } else values.set(name, value)
  }
  return { values, errors }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Maximum number of packages that one query names. */
const MAX_PACKAGES = 50
/** Name of an npm package, also an old one with capitals. */
const PACKAGE_PATTERN = /^(?=.{1,214}$)(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i

type Read = { value: string | number | boolean } | { code: QueryError['code']; message: string }

const malformed = (message: string): Read => ({ code: 'malformed', message })

function readValue(parameter: QueryParameter, text: string): Read {
  switch (parameter.kind) {
    case 'url':
      try {
        return { value: canonicalizeUrl(text).key }
      } catch (error) {
        if (error instanceof InvalidUrlError) return malformed(error.message)
        throw error
      }
    case 'integer': {
      if (!/^[0-9]{1,15}$/.test(text)) return malformed('expected a whole number of at most 15 digits')
      const number = Number(text)
      if (number > parameter.max && parameter.clamp) return { value: parameter.max }
      if (number < parameter.min || number > parameter.max) {
        return { code: 'out_of_range', message: `expected ${parameter.min} to ${parameter.max}` }
      }
      return { value: number }
    }
    case 'flag':
      return text === '1' || text === '0' ? { value: text === '1' } : malformed('expected 1, or leave it out')
    case 'address':
      return ADDRESS_PATTERN.test(text)
        ? { value: text.toLowerCase() }
        : malformed('expected 0x and 40 hexadecimal digits')
    case 'decimal':
      return DECIMAL_PATTERN.test(text)
        ? { value: text.replace(/\.0+$|(\.\d*[1-9])0+$/, '$1') }
        : malformed('expected a decimal number such as 1000 or 0.5')
    case 'package':
      return PACKAGE_PATTERN.test(text) ? { value: text } : malformed('expected the name of an npm package')
    case 'packages': {
      const names = [...new Set(text.split(','))].sort()
      return names.length <= MAX_PACKAGES && names.every((name) => PACKAGE_PATTERN.test(name))
        ? { value: names.join(',') }
        : malformed(`expected at most ${MAX_PACKAGES} names of npm packages, comma-separated`)
    }
    case 'cursor':
      return decodeCursor(text) === undefined
        ? malformed('expected `nextCursor` of an earlier answer, unchanged')
        : { value: text }
    case 'time':
      return isTime(text)
        ? { value: new Date(text).toISOString() }
        : malformed('expected a day or a time in UTC, such as 2026-01-31 or 2026-01-31T12:00:00Z')
    case 'choice':
      return parameter.choices.includes(text)
        ? { value: text }
        : malformed(`expected one of ${parameter.choices.join(', ')}`)
  }
}

// A longer text only adds digits to the second, which no clock measures.
const isTime = (text: string) =>
  text.length <= 30 && (DateSchema.safeParse(text).success || TimestampSchema.safeParse(text).success)
