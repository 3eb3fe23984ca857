import { parseObject } from './rotation.ts'

/** The name that a `robots.txt` group uses for the prober. */
export const ROBOTS_NAME = 'touchstone'

type Rule = { readonly allow: boolean; readonly pattern: string }

/**
 * Whether a `robots.txt` asks the prober to stay away from a path. Only groups that name it count: a group for `*`
 * is about crawlers that follow links, and an audited endpoint was listed in order to be called by machines.
 * The longest matching rule wins, and Allow wins a tie. Source: RFC 9309, section 2.2.
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
      // Several names in a row share the rules below them.
      isOurs = (inHead && isOurs) || value.toLowerCase() === ROBOTS_NAME
      inHead = true
    } else if (field === 'allow' || field === 'disallow') {
      inHead = false
      if (isOurs && value !== '') rules.push({ allow: field === 'allow', pattern: value })
    }
  }
  return rules
}

/** `*` stands for any text and a `$` at the end for the end of the path. Linear: no pattern of a host becomes a regex. */
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

/** Whether a `/.well-known/x402` declines probes: `"probes": false` at its top. */
export function declinesProbes(wellKnown: string): boolean {
  return parseObject(wellKnown)?.probes === false
}
