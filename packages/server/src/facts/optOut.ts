import { parseObject } from './json.ts'

/** User agent of the prober in `robots.txt`. */
export const ROBOTS_NAME = 'touchstone'

/** A rule of a `robots.txt` for the prober. */
export type RobotsRule = { readonly allow: boolean; readonly pattern: string }

/** Maximum size of the rules of one host in bytes, and what a rule takes beside its pattern. */
const MAX_RULES_BYTES = 8 * 1024
const RULE_BYTES = 32

const DECLINES_ALL: readonly RobotsRule[] = [{ allow: false, pattern: '/' }]

/**
 * Parses the rules of a `robots.txt` for the prober. Only groups that name it count: `*` is for crawlers that follow
 * links, while audited endpoints are listed to be called by machines. A host with more rules than are kept declines all.
 */
export function parseRobots(robots: string): readonly RobotsRule[] {
  const rules: RobotsRule[] = []
  let isOurs = false
  let inHead = false
  let bytes = 0
  for (const line of robots.split(/\r\n|\r|\n/)) {
    const { field, value } = parseLine(line)
    if (field === 'user-agent') {
      // Consecutive names share the rules below them.
      isOurs = (inHead && isOurs) || value.toLowerCase() === ROBOTS_NAME
      inHead = true
    } else if (field === 'allow' || field === 'disallow') {
      inHead = false
      if (!isOurs || value === '') continue
      bytes += value.length + RULE_BYTES
      if (bytes > MAX_RULES_BYTES) return DECLINES_ALL
      rules.push({ allow: field === 'allow', pattern: copyText(value) })
    }
  }
  return rules
}

/** Splits `field: value # comment` in linear time; a pattern with spaces to trim would take quadratic time. */
function parseLine(line: string): { readonly field: string; readonly value: string } {
  const comment = line.indexOf('#')
  const text = comment < 0 ? line : line.slice(0, comment)
  const colon = text.indexOf(':')
  return {
    field: text.slice(0, Math.max(colon, 0)).trim().toLowerCase(),
    value: text.slice(colon + 1).trim(),
  }
}

/** Copies a part of a text, which would otherwise keep the whole text in memory. */
const copyText = (part: string): string => JSON.parse(JSON.stringify(part))

/**
 * Whether rules disallow a path. The longest matching rule wins, Allow wins a tie.
 * Source: RFC 9309, section 2.2.
 */
export function isDisallowed(rules: readonly RobotsRule[], path: string): boolean {
  let best: RobotsRule | undefined
  for (const rule of rules) {
    if (!matches(rule.pattern, path)) continue
    const isLonger = best === undefined || rule.pattern.length > best.pattern.length
    if (isLonger || (rule.pattern.length === best?.pattern.length && rule.allow)) best = rule
  }
  return best?.allow === false
}

/** Matches `*` as any text and a trailing `$` as the end of the path. Linear time; no regex is built from host input. */
function matches(pattern: string, path: string): boolean {
  const isExact = pattern.endsWith('$')
  const parts = (isExact ? pattern.slice(0, -1) : pattern).split('*')
  const [first = '', ...rest] = parts
  if (!path.startsWith(first)) return false
  let at = first.length
  const last = rest.pop()
  for (const part of rest) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  if (last === undefined) return !isExact || at === path.length
  if (isExact) return path.length - last.length >= at && path.endsWith(last)
  return path.indexOf(last, at) >= 0
}

/** Whether a `/.well-known/x402` declines probes: `"probes": false` at the top level. */
export function declinesProbes(wellKnown: string): boolean {
  return parseObject(wellKnown)?.probes === false
}
