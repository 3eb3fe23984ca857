import confusables from './confusables.json' with { type: 'json' }
import { decodePunycode } from './decodePunycode.ts'

/** A host name as people read it. */
export type ShownHost = {
  /** As it is looked up. */
  readonly ascii: string
  /** In Unicode; null if it has no character beyond ASCII, or one that could deceive. */
  readonly unicode: string | null
  /** Scripts of a label that mixes such as no language does; empty if none does. */
  readonly mixed: readonly string[]
}

/** Whether a host has characters beyond ASCII. */
export const isInternational = (host: string): boolean => /(^|\.)xn--/.test(host)

/** Decodes a host name for display. */
export function showHost(host: string): ShownHost {
  const labels = decodeLabels(host)
  const isShowable =
    isInternational(host) && labels.every((label) => SHOWABLE.test(label) && !label.startsWith(PUNYCODE))
  const mixed = labels.map(scriptsOf).find((scripts) => !isOfOneLanguage(scripts)) ?? []
  return { ascii: host, unicode: isShowable ? labels.join('.') : null, mixed }
}

/** Describes a host in one line: `xn--80ak6aa92e.com (аррӏе.com)`. */
export function describeHost(host: string): string {
  const { unicode, mixed } = showHost(host)
  const scripts = mixed.length === 0 ? '' : `mixes ${mixed.join(' and ')}`
  const said = [unicode ?? '', scripts].filter((text) => text !== '')
  return said.length === 0 ? host : `${host} (${said.join(', ')})`
}

/**
 * Returns a text that is the same for hosts that look alike, without their port. Only look-alikes of ASCII letters, digits,
 * dots and hyphens are known. Not for display.
 *
 * Source: UTS 39, section 4, confusable detection.
 */
export function skeletonOf(host: string): string {
  return [...decodeLabels(host.replace(/:\d+$/, '')).join('.').normalize('NFD')]
    .filter((letter) => !IGNORABLE.test(letter))
    .map((letter) => LOOKS.get(letter) ?? letter)
    .join('')
}

const LOOKS = new Map(
  Object.entries(confusables.letters).flatMap(([shown, codes]) =>
    codes.split(' ').map((code) => [String.fromCodePoint(Number.parseInt(code, 16)), shown] as const),
  ),
)

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u

/** Letters, marks and digits, at most three marks in a row; a port may follow. */
const SHOWABLE = /^(?!\p{M})(?!.*\p{M}{4})(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}\-·:]*$/u

const PUNYCODE = 'xn--'

const decodeLabels = (host: string): string[] =>
  host
    .split('.')
    .map((label) =>
      label.startsWith(PUNYCODE) ? (decodePunycode(label.slice(PUNYCODE.length)) ?? label) : label,
    )

const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Bengali',
  'Tamil',
  'Thai',
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Hangul',
  'Cherokee',
  'Ethiopic',
].map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }))

const OTHER = /\p{L}/u

function scriptsOf(label: string): string[] {
  const scripts = [...label].flatMap(
    (letter) =>
      SCRIPTS.find(({ pattern }) => pattern.test(letter))?.name ??
      (OTHER.test(letter) && !COMMON.test(letter) ? 'another script' : []),
  )
  return [...new Set(scripts)]
}

/** Letters that several scripts share. */
const COMMON = /\p{Script=Common}|\p{Script=Inherited}/u

/** Sets of scripts that languages write together. Source: UTS 39, section 5.2, highly restrictive. */
const TOGETHER = [
  new Set(['Latin', 'Han', 'Hiragana', 'Katakana']),
  new Set(['Latin', 'Han', 'Bopomofo']),
  new Set(['Latin', 'Han', 'Hangul']),
]

const isOfOneLanguage = (scripts: readonly string[]): boolean =>
  scripts.length < 2 || TOGETHER.some((set) => scripts.every((script) => set.has(script)))
