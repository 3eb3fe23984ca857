import type { HalvedSize } from './halvedSize.ts'

/** Limits of one RPC, learned from its replies and shared by all reads. */
export type LearnedLimits = {
  /** Stated maximum of blocks per query. */
  maxBlocks: number
  /** Largest number of blocks that a query has spanned. */
  okBlocks: number
  /** Smallest number of blocks refused as too many. */
  badBlocks: number
  /** Stated or inferred maximum of logs per reply. */
  maxResults: number
  /** Most logs that a reply has held. */
  mostSeen: number
  /** Fewest logs known to be refused. */
  leastRefused: number
  /** Number of rows at which it silently truncates a reply. */
  cutsAt: number
  /** Whether its latest refusal suggested a usable range. */
  suggests: boolean
  /** Ranges in a row that it did not answer in time. */
  slowRanges: number
  /** Sizes that were found by halving, by the kind of query: how long it takes depends on how many logs it matches. */
  readonly halved: Map<string, HalvedSize>
}

/** Creates the limits of an RPC that has not answered yet. */
export function createLearnedLimits(): LearnedLimits {
  return {
    maxBlocks: Number.POSITIVE_INFINITY,
    okBlocks: 0,
    badBlocks: Number.POSITIVE_INFINITY,
    maxResults: Number.POSITIVE_INFINITY,
    mostSeen: 0,
    leastRefused: Number.POSITIVE_INFINITY,
    cutsAt: Number.POSITIVE_INFINITY,
    suggests: false,
    slowRanges: 0,
    halved: new Map(),
  }
}

/** Common caps of providers, so that an unstated cap is found in few requests. */
const LIKELY = [1, 2, 5, 8, 10, 20, 25, 30, 50, 64, 80].flatMap((n) =>
  [1, 10, 100, 1000, 10_000].map((factor) => n * factor),
)
const POWERS = Array.from({ length: 18 }, (_, i) => 2 ** i)
const GUESSES = [...new Set([...LIKELY, ...POWERS, 3500, 7500])].sort((a, b) => b - a)

/** Returns the maximum number of blocks for the next query, always fewer than were refused. */
export function nextBlockCap({ maxBlocks, okBlocks, badBlocks }: LearnedLimits): number {
  if (maxBlocks < badBlocks) return maxBlocks
  if (!Number.isFinite(badBlocks)) return Number.POSITIVE_INFINITY
  if (okBlocks === 0 || okBlocks < badBlocks / 4) return Math.max(1, Math.floor(badBlocks / 2))
  return GUESSES.find((guess) => guess > okBlocks && guess < badBlocks) ?? okBlocks
}
