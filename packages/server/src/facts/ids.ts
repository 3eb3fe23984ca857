const PRIME = 0x100000001b3n
const OFFSET = 0xcbf29ce484222325n
const MASK = (1n << 64n) - 1n

/** Returns a deterministic id: equal parts give equal ids. FNV-1a, 64 bits. */
export function recordId(prefix: string, ...parts: readonly (string | number)[]): string {
  let hash = OFFSET
  for (const byte of new TextEncoder().encode(parts.join('\n'))) {
    hash = ((hash ^ BigInt(byte)) * PRIME) & MASK
  }
  return `${prefix}_${hash.toString(16).padStart(16, '0')}`
}
