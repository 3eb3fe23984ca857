const MAX_LOAD = 0.6

function mix(hash: number, word: number): number {
  let h = Math.imul(hash ^ word, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

const isSame = (some: Int32Array, at: number, others: Int32Array, from: number): boolean =>
  some[at + 4] === others[from + 4] &&
  some[at + 3] === others[from + 3] &&
  some[at + 2] === others[from + 2] &&
  some[at + 1] === others[from + 1] &&
  some[at] === others[from]

/** Interns addresses: each new one gets the next ordinal. An address is five big-endian 32-bit words. */
export type AddressTable = {
  /** Interns `count` consecutive addresses and writes their ordinals to `ordinals`. */
  internAll(words: Int32Array, count: number, ordinals: Uint32Array): void
  /** Returns five words per address. Later additions never change the words returned. */
  words(): Uint32Array
  count(): number
}

/**
 * Creates an address table with open addressing.
 *
 * @param seed random 32 bits: anyone can send tokens to chosen addresses, so an unseeded hash invites collisions
 */
export function createAddressTable(seed: number): AddressTable {
  let capacity = 32
  // 0 is empty, anything else is ordinal + 1.
  let slots = new Int32Array(capacity)
  let known = new Int32Array(16 * 5)
  let size = 0
  let homes = new Int32Array(64)

  const hashOf = (words: Int32Array, at: number): number => {
    let hash = seed | 0
    for (let i = at; i < at + 5; i++) hash = mix(hash, words[i] as number)
    return hash
  }

  const rehash = () => {
    capacity *= 2
    slots = new Int32Array(capacity)
    for (let i = 0; i < size; i++) {
      let slot = hashOf(known, i * 5) & (capacity - 1)
      while (slots[slot] !== 0) slot = (slot + 1) & (capacity - 1)
      slots[slot] = i + 1
    }
  }

  const intern = (words: Int32Array, from: number): number => {
    let slot = hashOf(words, from) & (capacity - 1)
    for (;;) {
      const held = slots[slot] as number
      if (held === 0) break
      if (isSame(known, held * 5 - 5, words, from)) return held - 1
      slot = (slot + 1) & (capacity - 1)
    }
    if (size * 5 + 5 > known.length) {
      const larger = new Int32Array(known.length * 2)
      larger.set(known)
      known = larger
    }
    for (let i = 0; i < 5; i++) known[size * 5 + i] = words[from + i] as number
    slots[slot] = ++size
    if (size > capacity * MAX_LOAD) rehash()
    return size - 1
  }

  return {
    internAll(words, count, ordinals) {
      if (homes.length < count) homes = new Int32Array(count * 2)
      // Each look-up misses the CPU cache; in a separate loop the misses overlap.
      const [heads, table, last, all] = [homes, slots, capacity - 1, known]
      for (let i = 0; i < count; i++) heads[i] = table[hashOf(words, i * 5) & last] as number
      for (let i = 0; i < count; i++) {
        const held = heads[i] as number
        ordinals[i] = held > 0 && isSame(all, held * 5 - 5, words, i * 5) ? held - 1 : intern(words, i * 5)
      }
    },
    words: () => new Uint32Array(known.buffer),
    count: () => size,
  }
}
