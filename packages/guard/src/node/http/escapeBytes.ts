/**
 * Percent-encodes the bytes of an address that are not ASCII. Node reads each byte of a header as one character, which a
 * URL would encode as UTF-8 once more.
 */
export const escapeBytes = (text: string): string =>
  text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
