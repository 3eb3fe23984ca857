const MAX_LOAD = 0.6

const mix = (hash: number, word: number): number => {
  let h = Math.imul(hash ^ word, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** Interns addresses: each distinct one gets the next ordinal. */
export type AddressTable = {
  /** The ordinal of the address made of five big-endian 32-bit words. */
  intern(w0: number, w1: number, w2: number, w3: number, w4: number): number
  /** Five words an address; a view that later additions may leave behind, never change. */
  words(): Uint32Array
  count(): number
}

/**
 * An open-addressing hash table over words.
 *
 * Anyone can send tokens to addresses of their choosing, so the hash is seeded: pass a random 32-bit `seed`.
 */
export const createAddressTable = (seed: number, expected = 1024): AddressTable => {
  let capacity = 2 ** Math.ceil(Math.log2(Math.max(16, expected / MAX_LOAD)))
  // 0 is empty, otherwise ordinal + 1.
  let slots = new Uint32Array(capacity)
  let words = new Uint32Array(Math.max(16, expected) * 5)
  let size = 0

  const slotOf = (w0: number, w1: number, w2: number, w3: number, w4: number): number =>
    mix(mix(mix(mix(mix(seed, w0), w1), w2), w3), w4) >>> 0

  const rehash = () => {
    capacity *= 2
    slots = new Uint32Array(capacity)
    for (let i = 0, at = 0; i < size; i++, at += 5) {
      let slot =
        slotOf(
          words[at] ?? 0,
          words[at + 1] ?? 0,
          words[at + 2] ?? 0,
          words[at + 3] ?? 0,
          words[at + 4] ?? 0,
        ) &
        (capacity - 1)
      while (slots[slot] !== 0) slot = (slot + 1) & (capacity - 1)
      slots[slot] = i + 1
    }
  }

  const grow = () => {
    const larger = new Uint32Array(words.length * 2)
    larger.set(words)
    words = larger
  }

  return {
    intern(w0, w1, w2, w3, w4) {
      let slot = slotOf(w0, w1, w2, w3, w4) & (capacity - 1)
      for (;;) {
        const held = slots[slot] ?? 0
        if (held === 0) break
        const at = (held - 1) * 5
        if (
          words[at + 4] === w4 &&
          words[at + 3] === w3 &&
          words[at + 2] === w2 &&
          words[at + 1] === w1 &&
          words[at] === w0
        )
          return held - 1
        slot = (slot + 1) & (capacity - 1)
      }
      const at = size * 5
      if (at + 5 > words.length) grow()
      words[at] = w0
      words[at + 1] = w1
      words[at + 2] = w2
      words[at + 3] = w3
      words[at + 4] = w4
      slots[slot] = ++size
      const ordinal = size - 1
      if (size > capacity * MAX_LOAD) rehash()
      return ordinal
    },
    words: () => words,
    count: () => size,
  }
}
