import type { Answer } from './answer.ts'

const HTML = /^\s*(text\/html|application\/xhtml\+xml)\b/i
const NO_BODY = new Set([204, 205])

/**
 * Returns whether a 2xx answer holds data: a declared type that is no HTML page, and at least one byte by its headers.
 * The body is not read, and an answer that declares neither a length nor chunks counts as empty.
 */
export function isDelivered(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  method: string,
): boolean {
  if (status < 200 || status > 299 || NO_BODY.has(status) || method === 'HEAD') return false
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': coding } = headers
  if (type === undefined || HTML.test(type)) return false
  return length === undefined ? /\bchunked\b/i.test(coding ?? '') : /^[1-9]\d*$/.test(length)
}
