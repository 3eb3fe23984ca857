import { decodeBase64Json, encodeBase64Json } from './base64Json.ts'

/** Place of a record in a feed. */
export type FeedPosition = {
  /** Time of the record in ms since 1970. */
  readonly at: number
  /** Id of the record, which distinguishes records of one time. */
  readonly id: string
}

const MAX_ID_LENGTH = 200
/** Maximum length of a cursor. The id may need six bytes a character. */
export const MAX_CURSOR_LENGTH = 2048

/** Encodes the place behind which the next page of a feed begins: base64url of JSON, opaque to clients. */
export function encodeCursor({ at, id }: FeedPosition): string {
  return encodeBase64Json({ at, id }).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Decodes a cursor. Returns undefined for anything else. */
export function decodeCursor(text: string): FeedPosition | undefined {
  if (text.length > MAX_CURSOR_LENGTH) return undefined
  const { at, id } = decodeBase64Json(text) ?? {}
  if (typeof at !== 'number' || !Number.isSafeInteger(at)) return undefined
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) return undefined
  return { at, id }
}
