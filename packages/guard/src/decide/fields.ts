import { ADDRESS_PATTERN, nearestName, usdToAtomic } from '@touchstone402/shared'

/** Allowed values of a configuration field, and the value that it has if it is left out. */
export type Field = { readonly default?: unknown } & Kind
type Kind =
  | { readonly kind: 'usd' | 'network' | 'address' | 'host' | 'text' | 'flag' }
  | { readonly kind: 'function' | 'any' }
  | { readonly kind: 'matching'; readonly matches: (text: string) => boolean; readonly expected: string }
  /** An object with these methods, and with an address if that is asked for. */
  | {
      readonly kind: 'having'
      readonly methods: readonly string[]
      readonly hasAddress?: boolean
      readonly expected: string
    }
  | { readonly kind: 'count'; readonly from: number; readonly to: number }
  | { readonly kind: 'oneOf'; readonly values: readonly string[] }
  | { readonly kind: 'nullable' | 'optional' | 'oneOrMore'; readonly of: Field }
  | { readonly kind: 'list'; readonly of: Field; readonly least?: number }
  /** An object with keys of the caller's choice. */
  | { readonly kind: 'map'; readonly keys: Field; readonly of: Field }
  /** Fields without a default are required. */
  | { readonly kind: 'object'; readonly fields: Fields }

export type Fields = Readonly<Record<string, Field>>

/** A field that may be left out, whose values are of the type of its default. */
export type Setting<T> = Field & { readonly default: T }
/** An object of settings, which complete an empty one. */
export type Group<Settings extends Readonly<Record<string, Setting<unknown>>>> = {
  readonly kind: 'object'
  readonly fields: Settings
  readonly default: { -readonly [Name in keyof Settings]: Settings[Name]['default'] }
}

/** Gives a field its default. */
export const setting = <T>(field: Field, value: T): Setting<T> => ({ ...field, default: value })
/** A whole number in a range. */
export const count = (from: number, to: number): Field => ({ kind: 'count', from, to })
/** A field that may be left out. */
export const optional = <T>(of: Field): Setting<T | undefined> => ({
  kind: 'optional',
  of,
  default: undefined,
})
/** Makes an object of settings. */
export const group = <const Settings extends Readonly<Record<string, Setting<unknown>>>>(
  fields: Settings,
): Group<Settings> => ({ kind: 'object', fields, default: {} as Group<Settings>['default'] })

export const NETWORK_PATTERN = /^eip155:[1-9][0-9]{0,15}$/

/** Receives each invalid field and what is wrong with its value. */
type OnProblem = (path: string, problem: string) => void

/** Reads a value and fills in defaults; reports each invalid field. The result is right if nothing is reported. */
export function readField(field: Field, value: unknown, path: string, report: OnProblem): unknown {
  switch (field.kind) {
    case 'nullable':
      return value === null ? null : readField(field.of, value, path, report)
    case 'optional':
      return value === undefined ? undefined : readField(field.of, value, path, report)
    case 'oneOrMore':
      return Array.isArray(value)
        ? readList({ kind: 'list', of: field.of, least: 1 }, value, path, report)
        : readField(field.of, value, path, report)
    case 'list':
      return readList(field, value, path, report)
    case 'map':
      return readMap(field, value, path, report)
    case 'object':
      return readObject(field, value, path, report)
    default: {
      const [fits, expected] = judge(field, value)
      // A value given instead of an account or a ledger may be a key or a password.
      const given = field.kind === 'having' ? '' : `, not ${show(value)}`
      if (!fits) report(path, `expected ${expected}${given}`)
      return value
    }
  }
}

function readList(field: Field & { kind: 'list' }, value: unknown, path: string, report: OnProblem): unknown {
  const least = field.least ?? 0
  if (Array.isArray(value) && value.length >= least)
    return value.map((item, place) => readField(field.of, item, `${path}.${place}`, report))
  report(path, `expected a list${least > 0 ? ' that is not empty' : ''}, not ${show(value)}`)
  return value
}

function readMap(field: Field & { kind: 'map' }, value: unknown, path: string, report: OnProblem): unknown {
  if (!isObject(value) || Array.isArray(value)) {
    report(path, `expected an object, not ${show(value)}`)
    return value
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      readField(field.keys, key, path, report)
      return [key, readField(field.of, one, `${path}.${key}`, report)]
    }),
  )
}

function readObject(
  { fields }: Field & { kind: 'object' },
  value: unknown,
  path: string,
  report: OnProblem,
): unknown {
  if (!isObject(value) || Array.isArray(value)) {
    report(path, `expected an object, not ${show(value)}`)
    return value
  }
  const given = value as Record<string, unknown>
  const inner = (name: string) => (path === ROOT ? name : `${path}.${name}`)
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name))
      report(inner(name), `unknown field; nearest: ${nearestName(name, Object.keys(fields)).name}`)
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const own = Object.hasOwn(given, name) ? given[name] : undefined
      return [name, readField(field, own === undefined ? field.default : own, inner(name), report)]
    }),
  )
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Path of the whole value. */
export const ROOT = '(root)'

/** Returns whether a value fits a field without inner fields, and the expected values. */
function judge(field: Field, value: unknown): [fits: boolean, expected: string] {
  const isText = typeof value === 'string'
  switch (field.kind) {
    case 'usd':
      return [isText && isUsd(value), 'dollars as a decimal string such as "0.50"']
    case 'network':
      return [isText && NETWORK_PATTERN.test(value), 'an EVM network such as "eip155:8453"']
    case 'address':
      return [isText && ADDRESS_PATTERN.test(value), '0x and 40 hexadecimal digits']
    case 'host': {
      const expected = 'a lower-case host such as "api.example.com", "localhost:8080" or "*.example.com"'
      return [isText && isHost(value), expected]
    }
    case 'matching':
      return [isText && field.matches(value), field.expected]
    case 'having': {
      const given: Record<string, unknown> = Object(value)
      const hasAddress = !field.hasAddress || ADDRESS_PATTERN.test(String(given.address))
      const hasMethods = field.methods.every((name) => typeof given[name] === 'function')
      return [isObject(value) && hasAddress && hasMethods, field.expected]
    }
    case 'function':
      return [typeof value === 'function', 'a function']
    case 'text':
      return [isText && value !== '', 'a text that is not empty']
    case 'flag':
      return [typeof value === 'boolean', 'true or false']
    case 'count': {
      const { from, to } = field
      const fits = Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to
      return [fits, `a whole number from ${from} to ${to}`]
    }
    case 'oneOf': {
      const expected = `one of ${field.values.map((one) => `"${one}"`).join(', ')}`
      return [isText && field.values.includes(value), expected]
    }
    default:
      return [true, '']
  }
}

function isUsd(text: string): boolean {
  try {
    usdToAtomic(text)
    return true
  } catch {
    return false
  }
}

/** Whether a host can match that of a URL, which has no final dot and no port that is the scheme's default. */
function isHost(text: string): boolean {
  const isWildcard = text.startsWith('*.')
  // Addresses have no subdomains.
  const host = text.replace(/^\*\./, 'any.')
  try {
    const url = new URL(`https://${host}`)
    const isName = /^[a-z0-9_.:[\]-]+$/.test(host) && !/^\.|\.$|\.:/.test(host)
    return isName && url.host === host && !(isWildcard && url.port !== '')
  } catch {
    return false
  }
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  // JSON has no form for these.
  if (typeof value === 'bigint' || typeof value === 'function') return `a ${typeof value}`
  if (typeof value === 'number' && !Number.isFinite(value)) return `${value}, which is no limit`
  try {
    return String(JSON.stringify(value)).slice(0, 80)
  } catch {
    return `an ${typeof value}`
  }
}
