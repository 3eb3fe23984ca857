const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** The length in bits takes the last eight bytes of the padding. */
const LENGTH_BYTES = 8

const PRIMES = Array.from({ length: 310 }, (_, index) => index + 2).filter((number) => {
  for (let factor = 2; factor * factor <= number; factor++) if (number % factor === 0) return false
  return true
})
// The first 32 bits of the fraction. A double keeps 17 more, and none of these roots is so close to a bound.
const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)))
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))

// Reused: a digest is computed without a pause.
const words = new Int32Array(BLOCK_BYTES)
const state = new Int32Array(8)
const padding = new Uint8Array(2 * BLOCK_BYTES)
const tail = new DataView(padding.buffer)

/**
 * Computes a SHA-256. Synchronous, for runtimes where only WebCrypto has it, and tuned for texts of one or two blocks.
 * Source: FIPS 180-4 section 6.2.
 */
export function sha256InScript(bytes: Uint8Array, length: number = bytes.length): Uint8Array<ArrayBuffer> {
  state.set(START)
  const rest = length % BLOCK_BYTES
  const whole = length - rest
  for (let at = 0; at < whole; at += BLOCK_BYTES) addBlock(bytes, at)
  for (let at = 0; at < rest; at++) padding[at] = bytes[whole + at] as number
  const end = rest < BLOCK_BYTES - LENGTH_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES
  padding[rest] = 0x80
  padding.fill(0, rest + 1, end)
  // In bits, of which the first 32 are the others.
  tail.setUint32(end - 8, length / 2 ** 29)
  tail.setUint32(end - 4, length * 8)
  for (let at = 0; at < end; at += BLOCK_BYTES) addBlock(padding, at)
  const digest = new Uint8Array(DIGEST_BYTES)
  for (let at = 0; at < DIGEST_BYTES; at++) digest[at] = (state[at >> 2] as number) >> (24 - 8 * (at & 3))
  return digest
}

const turn = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits))

function addBlock(bytes: Uint8Array, from: number): void {
  for (let index = 0, at = from; index < 16; index++, at += 4) {
    words[index] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)
  }
  for (let index = 16; index < 64; index++) {
    const early = words[index - 15] as number
    const late = words[index - 2] as number
    const s0 = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const s1 = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    words[index] = (words[index - 16] as number) + s0 + (words[index - 7] as number) + s1
  }
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let index = 0; index < 64; index++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUNDS[index] as number) + (words[index] as number)) | 0
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    const majority = (a & b) ^ (a & c) ^ (b & c)
    c = b
    b = a
    a = (t1 + s0 + majority) | 0
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
  state[4] = (state[4] as number) + e
  state[5] = (state[5] as number) + f
  state[6] = (state[6] as number) + g
  state[7] = (state[7] as number) + h
}
