import { sha256 } from './sha256.ts'

/** Returns the SHA-256 of a log's origin in hexadecimal, by which the paths of a witness name it. */
export function originHash(origin: string): string {
  const digest = sha256(new TextEncoder().encode(origin))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
