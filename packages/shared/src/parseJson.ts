/** Maximum depth of JSON from sellers, services and RPC endpoints. Deeper documents exhaust what reads them later. */
export const MAX_DEPTH = 64

/**
 * Parses JSON of bounded depth.
 * @throws SyntaxError if the text is not JSON, or nested deeper than {@link MAX_DEPTH}
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`JSON is nested deeper than ${MAX_DEPTH} levels`)
  return JSON.parse(text)
}

const QUOTE = 34
const BACKSLASH = 92
const OPENING = new Set([91, 123])
const CLOSING = new Set([93, 125])

// Before the text is parsed, since the parser itself recurses.
function isTooDeep(text: string): boolean {
  let depth = 0
  let isText = false
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place)
    if (isText) {
      if (code === BACKSLASH) place += 1
      else if (code === QUOTE) isText = false
    } else if (code === QUOTE) isText = true
    else if (OPENING.has(code)) {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if (CLOSING.has(code)) depth -= 1
  }
  return false
}
