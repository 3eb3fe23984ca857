import { parseObject } from './json.ts'

/** User agent of the prober in `robots.txt`. */
export const ROBOTS_NAME = 'touchstone'

type Rule = { readonly allow: boolean; readonly pattern: string }

/**
 * Whether a `robots.txt` disallows a path for the prober. Only groups that name it count: `*` is for crawlers that
 * follow links, while audited endpoints are listed to be called by machines.
 * The longest matching rule wins, Allow wins a tie. Source: RFC 9309, section 2.2.
 */
export function isDisallowed(robots: string, path: string): boolean {
  let best: Rule | undefined
  for (const rule of rulesFor(robots)) {
    if (!matches(rule.pattern, path)) continue
    const isLonger = best === undefined || rule.pattern.length > best.pattern.length
    if (isLonger || (rule.pattern.length === best?.pattern.length && rule.allow)) best = rule
  }
  return best?.allow === false
}

function rulesFor(robots: string): Rule[] {
  const rules: Rule[] = []
  let isOurs = false
  let inHead = false
  for (const line of robots.split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/.exec(line) ?? []
    const field = name.toLowerCase()
    if (field === 'user-agent') {
      // Consecutive names share the rules below them.
      isOurs = (inHead && isOurs) || value.toLowerCase() === ROBOTS_NAME
      inHead = true
    } else if (field === 'allow' || field === 'disallow') {
      inHead = false
      if (isOurs && value !== '') rules.push({ allow: field === 'allow', pattern: value })
    }
  }
  return rules
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
