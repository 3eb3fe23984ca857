const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Decodes standard base64 with padding. Returns undefined for anything else. Source: RFC 4648 section 4. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !BASE64.test(text)) return undefined
  try {
    return readBase64(text)
  } catch {
    return undefined
  }
}

/** Decodes base64 as `atob` does. @throws DOMException */
export function readBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  // Not `Uint8Array.from`, which iterates over code points and is slow.
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Encodes bytes as standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
