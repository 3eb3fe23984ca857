/** One payment challenge of a `WWW-Authenticate` header, in parts. */
export type PaymentChallenge = {
  /** MPP is the "Payment" authentication scheme; L402 was LSAT before. */
  readonly protocol: 'mpp' | 'l402'
  /** Its parameters, not decoded. */
  readonly parts: readonly string[]
}

const MAX_HEADER = 64 * 1024
// A scheme, then nothing, or something that makes it no parameter.
const START = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:\s+(?![\s=])([\s\S]*))?$/
const PAYING = /(payment|l402|lsat)\s+[\w-]+\s*=/i
const PROTOCOLS: Record<string, PaymentChallenge['protocol']> = { payment: 'mpp', l402: 'l402', lsat: 'l402' }

/**
 * Splits a `WWW-Authenticate` header, which may hold several challenges and several schemes. Never throws.
 * @returns the challenges of payment protocols, and the header without them; null if nothing is left
 */
export function splitAuthenticate(header: string | null | undefined): {
  paying: PaymentChallenge[]
  rest: string | null
} {
  const text = header ?? ''
  // Too long to read is unread, not free of charges.
  if (text.length > MAX_HEADER)
    return { paying: PAYING.test(text) ? [{ protocol: 'mpp', parts: [] }] : [], rest: null }
  const found: { scheme: string; parts: string[] }[] = []
  for (const element of splitList(text)) {
    const [, scheme, first] = START.exec(element) ?? []
    if (scheme !== undefined) found.push({ scheme, parts: first === undefined ? [] : [first] })
    else found.at(-1)?.parts.push(element)
  }
  const paying: PaymentChallenge[] = []
  const rest: string[] = []
  for (const { scheme, parts } of found) {
    const protocol = Object.hasOwn(PROTOCOLS, scheme.toLowerCase())
      ? PROTOCOLS[scheme.toLowerCase()]
      : undefined
    const whole = `${scheme} ${parts.join(', ')}`.trim()
    if (protocol !== undefined) paying.push({ protocol, parts })
    // Another reader may see a challenge where this one sees a quoted text.
    else if (!PAYING.test(whole)) rest.push(whole)
  }
  return { paying, rest: rest.length === 0 ? null : rest.join(', ') }
}

/** Splits a header at its commas, except those in quoted strings. */
function splitList(text: string): string[] {
  const elements: string[] = []
  let from = 0
  let isQuoted = false
  for (let place = 0; place < text.length; place++) {
    const char = text[place]
    if (isQuoted && char === '\\') place += 1
    else if (char === '"') isQuoted = !isQuoted
    else if (char === ',' && !isQuoted) {
      elements.push(text.slice(from, place).trim())
      from = place + 1
    }
  }
  return [...elements, text.slice(from).trim()].filter((element) => element !== '')
}
