import type { Coding, Ending, Outgoing, Representation } from './representation.ts'

/** A free answer in memory, ready to be sent. */
export type CachedAnswer = {
  /** The request target that it answers. */
  readonly target: string
  /** Path of the operation. */
  readonly route: string
  readonly representation: Representation
  /** Makes the end of one that ages. Its bytes are held by whoever made it, and count as theirs. */
  readonly ending: ((now: number) => Ending) | undefined
  /** As it was sent last. */
  sent: SentAnswer | undefined
  /** When it was last put together, by the audit's clock. */
  askedAt: number
  readonly maxAgeSeconds: number
  /** Milliseconds since 1970 by the audit's clock. */
  readonly expiresAt: number | undefined
  /** By the same clock: from then on it is made anew. */
  readonly heldUntil: number
  /** Whether it would still come out the same. */
  readonly isCurrent: () => boolean
}

/** An answer as it was sent, and until when it goes out the same. */
export type SentAnswer = {
  readonly outgoing: Outgoing
  /** Its status line and headers as text, once they were needed so. */
  head: string | undefined
  readonly coding: Coding | undefined
  readonly control: string
  readonly until: number
}

/** Free answers by the request target that they answer. */
export type AnswerCache = {
  /** Only what is still right: nothing that has expired, and nothing that something newer has overtaken. */
  get(target: string): CachedAnswer | undefined
  put(answer: CachedAnswer): void
}

export type AnswerCacheOptions = {
  /** The audit's clock. */
  now: () => number
  /** Memory for answers, in bytes. @default 256 MiB */
  maxBytes?: number
}

// Holds about 65,000 short answers that are asked for often, in each generation.
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024
// Keys, map entries, and the headers both as a list and as text, which an answer has once it is asked for often; measured
// as about that much for one that ages.
const OVERHEAD_BYTES = 1800

/**
 * Creates the cache. It has two generations: what nobody asks for while one fills up is dropped with the other, so that
 * a flood of targets costs no more than the memory it may use.
 */
export function createAnswerCache({ now, maxBytes = DEFAULT_MAX_BYTES }: AnswerCacheOptions): AnswerCache {
  let young = new Map<string, CachedAnswer>()
  let old = new Map<string, CachedAnswer>()
  let bytes = 0

  const put = (answer: CachedAnswer) => {
    const { target } = answer
    const size = sizeOf(answer)
    if (size > maxBytes / 2) return
    if (bytes + size > maxBytes / 2) {
      old = young
      young = new Map()
      bytes = 0
    }
    const replaced = young.get(target)
    if (replaced) bytes -= sizeOf(replaced)
    bytes += size
    young.set(target, answer)
  }

  return {
    put,
    get: (target) => {
      const asked = young.get(target)
      const found = asked ?? old.get(target)
      if (found === undefined || now() >= found.heldUntil || !found.isCurrent()) return undefined
      if (asked === undefined) put(found)
      return found
    },
  }
}

// A compressed form may join the body later, and is smaller than it.
function sizeOf({ target, representation, ending }: CachedAnswer): number {
  const bodyBytes = ending === undefined ? 2 * representation.body.length : 0
  return bodyBytes + 2 * target.length + OVERHEAD_BYTES
}
