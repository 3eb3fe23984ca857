import { escapeText } from './escapeText.ts'

/** Description of the body of a request for the person who approves its payment. */
export type BodyDescription = {
  bytes: number
  /** SHA-256 in hexadecimal digits. */
  sha256: string
  /** The first 200 characters, escaped. */
  head: string
  /** The last 100 characters beyond the head, escaped; empty if the head shows all. */
  tail: string
}

const HEAD = 200
const TAIL = 100

/** Describes a body. Bytes that are no UTF-8 show as U+FFFD. */
export async function describeBody(bytes: Uint8Array): Promise<BodyDescription> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes)))
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const head = [...text.slice(0, 2 * HEAD)].slice(0, HEAD).join('')
  const rest = text.slice(head.length)
  const tail = [...rest.slice(-2 * TAIL)].slice(-TAIL).join('')
  return {
    bytes: bytes.length,
    sha256: Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    head: escapeText(head),
    tail: escapeText(tail),
  }
}
