import { MAX_HEAD, riceBits } from '../riceHeads.ts'

/** Codes ascending 32-bit numbers one by one. */
export type RiceWriter = { put(head: number): void; finish(): Uint8Array<ArrayBuffer> }

/** Creates a coder. @param entries number of heads that will follow */
export function createRiceWriter(entries: number): RiceWriter {
  const bits = riceBits(entries)
  // Quotients add up to at most 2^(32 - bits).
  const worst = entries * (bits + 1) + MAX_HEAD / 2 ** bits + 64
  const buffer = new Uint8Array(Math.ceil(worst / 8))
  let last = 0
  let at = 0
  // Bits that fill no byte yet, fewer than eight.
  let waiting = 0
  let waitingBits = 0
  /** @param count at most 24 */
  const putBits = (value: number, count: number) => {
    waiting = (waiting << count) | value
    waitingBits += count
    while (waitingBits >= 8) {
      waitingBits -= 8
      buffer[at++] = waiting >>> waitingBits
    }
    waiting &= 0xff
  }
  return {
    put(head) {
      const gap = head - last
      last = head
      let quotient = Math.floor(gap / 2 ** bits)
      for (; quotient >= 23; quotient -= 23) putBits(0x7fffff, 23)
      putBits(2 ** (quotient + 1) - 2, quotient + 1)
      if (bits > 16) putBits((gap >>> 16) & (2 ** (bits - 16) - 1), bits - 16)
      putBits(gap & (2 ** Math.min(16, bits) - 1), Math.min(16, bits))
    },
    finish() {
      if (waitingBits > 0) buffer[at++] = waiting << (8 - waitingBits)
      waitingBits = 0
      return buffer.slice(0, at)
    },
  }
}
