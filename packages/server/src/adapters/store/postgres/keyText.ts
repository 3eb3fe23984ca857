/** Characters that PostgreSQL's text cannot hold, and the one that escapes them. */
const ESCAPED = /[\0\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Encodes a key for a text column: NUL and lone surrogates, which sellers may send, become `\` and four hex digits. */
export function toKey(text: string): string {
  return text.replace(ESCAPED, (unit) => `\\${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Decodes a key. */
export function fromKey(key: string): string {
  return key.includes('\\')
    ? key.replace(/\\([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : key
}

/** A text behind all keys that begin with a prefix. */
export function behindPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`
}
