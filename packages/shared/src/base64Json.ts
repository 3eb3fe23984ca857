/** Decodes an x402 header: base64 of a JSON object. Returns undefined for anything else. */
export function decodeBase64Json(text: string): Record<string, unknown> | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return asObject(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(toBytes(binary))))
  } catch {
    return undefined
  }
}

/** Encodes an x402 header: base64 of UTF-8 JSON. */
export function encodeBase64Json(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

function toBytes(binary: string): Uint8Array {
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** Whether a value is an object with string keys. Arrays and null are not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a value if it is an object, else undefined. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined
}
