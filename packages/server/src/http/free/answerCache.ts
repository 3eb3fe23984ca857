import { MIN_COMPRESSED_BYTES, type ReadyAnswer } from './readyAnswer.ts'

/** A free answer in memory. */
export type CachedAnswer = {
  /** The request target. */
  readonly target: string
  /** Path of the operation. */
  readonly route: string
  readonly ready: ReadyAnswer
  /** Expiry, Unix time in ms by the audit's clock. */
  readonly until: number
  /** Returns whether the answer would come out the same. */
  readonly isCurrent: () => boolean
}

/** Ready free answers by request target. */
export type AnswerCache = {
  /** Returns an answer that is current and has not expired. */
  get(target: string): CachedAnswer | undefined
  put(answer: CachedAnswer): void
}

export type AnswerCacheOptions = {
  /** The audit's clock. */
  now: () => number
  /** Memory for answers, in bytes. @default 128 MiB */
  maxBytes?: number | undefined
}

// About 23,000 verdicts in each generation.
const DEFAULT_MAX_BYTES = 128 * 1024 * 1024
// Map entries, objects and headers of one answer, as measured.
const OVERHEAD_BYTES = 600

/** Creates the cache. It has two generations: an entry unused while one fills up is dropped with the other. */
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
      const recent = young.get(target)
      const found = recent ?? old.get(target)
      if (found === undefined || now() >= found.until || !found.isCurrent()) return undefined
      if (recent === undefined) put(found)
      return found
    },
  }
}

function sizeOf({ target, ready: { body } }: CachedAnswer): number {
  // Compressed forms are added later; both together are smaller than the body.
  const bodies = body.length < MIN_COMPRESSED_BYTES ? 1 : 2
  return bodies * body.length + target.length + OVERHEAD_BYTES
}
