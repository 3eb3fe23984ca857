import { parseJson } from './parseJson.ts'

/** Decodes an x402 header: base64 of a JSON object. Returns undefined for anything else. */
export function decodeBase64Json(text: string): Record<string, unknown> | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined
  try {
    return asObject(parseJson(decodeText(readBase64(text.replaceAll('-', '+').replaceAll('_', '/')))))
  } catch {
    return undefined
  }
}

/** Decodes UTF-8, or Latin-1, which two releases of the stock library encode. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('latin1').decode(bytes)
  }
}

/** Encodes an x402 header: base64 of UTF-8 JSON. */
export function encodeBase64Json(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Decodes base64 as `atob` does. @throws DOMException */
function readBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  // Not `Uint8Array.from`, which iterates over code points: every payment is decoded here.
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Whether a value is an object with string keys. Arrays and null are not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a value if it is an object, else undefined. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined
}
