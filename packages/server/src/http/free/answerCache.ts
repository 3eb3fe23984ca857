import type { Config } from '../../config/config.ts'
import type { Context } from '../../context.ts'
import { MIN_COMPRESSED_BYTES, type ReadyAnswer } from './readyAnswer.ts'

/** A free answer in memory. */
export type CachedAnswer = {
  /** The request target. */
  readonly target: string
  readonly ready: ReadyAnswer
  /** Time at which it was made, Unix time in ms by the audit's clock. Before it, as when the clock was set back, it is none. */
  readonly madeAt: number
  /** Expiry by the same clock. */
  readonly until: number
  /** Returns whether the answer would come out the same. */
  readonly isCurrent: () => boolean
}

/** Use of the cache since the start, for operators. A miss is an answer that was made and could be kept. */
export type CacheStats = { readonly bytes: number; readonly hits: number; readonly misses: number }

/** Returns whether a time lies between the making of an answer and its expiry. */
export const isValidAt = ({ madeAt, until }: Pick<CachedAnswer, 'madeAt' | 'until'>, at: number): boolean =>
  at >= madeAt && at < until

/** Ready free answers by request target. */
export type AnswerCache = {
  /** Returns an answer that is current and has not expired. */
  get(target: string): CachedAnswer | undefined
  put(answer: CachedAnswer): void
  stats(): CacheStats
}

type CacheContext = Pick<Context, 'clock'> & { readonly config: Pick<Config, 'answerCacheBytes'> }

// Map entries, objects and headers of one answer, as measured.
const OVERHEAD_BYTES = 700

type Entry = { readonly answer: CachedAnswer; readonly bytes: number; wasUsed: boolean }

/**
 * Creates the cache. When full, it evicts the oldest answer without a hit since its last check; 192 MiB hold about 67,000
 * verdicts.
 */
export function createAnswerCache({ clock, config }: CacheContext): AnswerCache {
  const { answerCacheBytes: maxBytes } = config
  const entries = new Map<string, Entry>()
  let bytes = 0
  let hits = 0
  let made = 0

  const drop = (target: string, entry: Entry) => {
    entries.delete(target)
    bytes -= entry.bytes
  }
  const makeRoom = () => {
    // Entries that are put behind come up again, unused by then.
    for (const [target, entry] of entries) {
      if (bytes <= maxBytes) return
      drop(target, entry)
      if (entry.wasUsed) add(target, { ...entry, wasUsed: false })
    }
  }
  const add = (target: string, entry: Entry) => {
    entries.set(target, entry)
    bytes += entry.bytes
  }

  return {
    put(answer) {
      made++
      const { target } = answer
      const size = sizeOf(answer)
      if (size > maxBytes / 2) return
      const replaced = entries.get(target)
      if (replaced !== undefined) drop(target, replaced)
      add(target, { answer, bytes: size, wasUsed: false })
      makeRoom()
    },
    get(target) {
      const found = entries.get(target)
      if (found === undefined || !isValidAt(found.answer, clock.now()) || !found.answer.isCurrent())
        return undefined
      hits++
      found.wasUsed = true
      return found.answer
    },
    stats: () => ({ bytes, hits, misses: made }),
  }
}

function sizeOf({ target, ready: { body } }: CachedAnswer): number {
  // Compressed forms are added later; both together are smaller than the body.
  const bodies = body.length < MIN_COMPRESSED_BYTES ? 1 : 2
  return bodies * body.length + target.length + OVERHEAD_BYTES
}
