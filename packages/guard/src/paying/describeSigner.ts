import { isRecord } from '@touchstone402/shared'
import { escapeText } from '../decide/escapeText.ts'

const MAX_CHARACTERS = 200
const SECRETS: readonly RegExp[] = [
  // Credentials and query of a URL.
  /(:\/\/)[^\s/?#@]*@/g,
  /([?#])\S+/g,
  /((?:key|token|secret|password|authorization|bearer)\w*["']?[\s:=]+["']?(?:bearer |basic )?)[^\s"',;]+/gi,
  // A word long enough to be a key: hexadecimal, base64, JWT, or a URL whose path may hold one.
  /()(?=[\w+/=.-]*\d)[\w+/=.-]{24,}/g,
]

/** Quotes the error of a signer for a developer: escaped, bounded, and without words that may be secrets. */
export function describeSigner(error: unknown): string {
  const said = isRecord(error) ? error.message : error
  if (typeof said !== 'string' || said === '') return 'The signer threw an error without a message.'
  const shown = SECRETS.reduce((text, secret) => text.replace(secret, '$1…'), said.slice(0, 2_000))
  const quoted = escapeText(shown)
  return `The signer says: ${quoted.length > MAX_CHARACTERS ? `${quoted.slice(0, MAX_CHARACTERS)}…` : quoted}`
}
