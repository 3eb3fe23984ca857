import type { Purchase } from '../facts/facts.ts'

/** Response to a paid call. */
export type Delivery = Pick<Purchase, 'delivered'> & Required<Pick<Purchase, 'httpStatus' | 'excerpt'>>

export const NO_DELIVERY: Delivery = { delivered: false, httpStatus: null, excerpt: null }

const EXCERPT_CHARACTERS = 300
const EXCERPT_BYTES = 512
/** Bytes that hold an excerpt, however much of it is control characters or white space. */
const READ_BYTES = 4096
const TEXT = /^(text\/|application\/([a-z0-9.+-]+\+)?(json|xml)\b)/i

/** Bodies without an answer, white space left out. An empty list is one: a search may find nothing. */
const EMPTY: ReadonlySet<string> = new Set(['', '{}', 'null', '""'])
const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json\b/i
/** Beginning of a JSON text: a whole word or number, or an opening mark. */
const JSON_START = /^([{["]|(true|false|null|-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?)$)/i

/**
 * Reads what a response delivers: a 2xx with an answer is a delivery. White space, an empty object, `null` and an empty
 * text are none, nor is a page where JSON is declared. No more is read than an excerpt takes; a body that fails after its
 * first byte keeps what came.
 * @param expectsJson whether the challenge declares JSON
 */
export async function readDelivery(response: Response, expectsJson: boolean): Promise<Delivery> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  try {
    while (size < READ_BYTES) {
      const read = await reader?.read()
      if (read?.done !== false) break
      chunks.push(read.value)
      size += read.value.byteLength
    }
  } catch (error) {
    if (size === 0) throw error
  } finally {
    await reader?.cancel().catch(() => {})
  }
  const type = response.headers.get('content-type') ?? ''
  const bytes = Buffer.concat(chunks).subarray(0, READ_BYTES)
  const excerpt = TEXT.test(type) ? readExcerpt(bytes) : null
  const hasAnswer = isAnswer(bytes, expectsJson || JSON_TYPE.test(type))
  return { delivered: response.ok && hasAnswer, httpStatus: response.status, excerpt }
}

/** Whether the beginning of a body answers a call. */
function isAnswer(bytes: Uint8Array, mustBeJson: boolean): boolean {
  const text = new TextDecoder('utf-8').decode(bytes)
  return !EMPTY.has(text.replace(/\s+/g, '')) && (!mustBeJson || JSON_START.test(text.trim()))
}

/** Returns the first characters of a text without control and format characters; null for an empty or binary one. */
function readExcerpt(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  const text = new TextDecoder('utf-8')
    .decode(bytes)
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const cut = new TextEncoder().encode([...text].slice(0, EXCERPT_CHARACTERS).join(''))
  // A character that is cut in two is left out.
  return text === '' ? null : new TextDecoder().decode(cut.subarray(0, EXCERPT_BYTES)).replace(/\ufffd$/, '')
}
