/** What one RPC has taught about its limits; kept between reads and shared by them. */
export type Lesson = {
  /** Most blocks one query may span, as the RPC said. */
  maxBlocks: number
  /** Most blocks that one query has spanned, and fewest that were refused for being too many. */
  okBlocks: number
  badBlocks: number
  /** Most logs one answer may hold, as the RPC said or let be seen. */
  maxResults: number
  /** Most logs that one answer has held, and fewest known to be refused. */
  mostSeen: number
  leastRefused: number
  /** Rows at which it has been seen to cut an answer without a word. */
  cutsAt: number
  /** Whether its latest refusal suggested a range that was of use. */
  suggests: boolean
}

/** A provider that has taught nothing yet. */
export const createLesson = (): Lesson => ({
  maxBlocks: Number.POSITIVE_INFINITY,
  okBlocks: 0,
  badBlocks: Number.POSITIVE_INFINITY,
  maxResults: Number.POSITIVE_INFINITY,
  mostSeen: 0,
  leastRefused: Number.POSITIVE_INFINITY,
  cutsAt: Number.POSITIVE_INFINITY,
  suggests: false,
})

/** Caps that providers like, so that a cap nobody states is found in a few questions. */
const LIKELY = [1, 2, 5, 8, 10, 20, 25, 30, 50, 64, 80].flatMap((n) => [
  n,
  n * 10,
  n * 100,
  n * 1_000,
  n * 10_000,
])
const POWERS = Array.from({ length: 18 }, (_, i) => 2 ** i)
const GUESSES = [...new Set([...LIKELY, ...POWERS, 3500, 7500])].sort((a, b) => b - a)

/** The most blocks to ask for next, always fewer than were refused. */
export const nextBlockCap = ({ maxBlocks, okBlocks, badBlocks }: Lesson): number => {
  if (maxBlocks < badBlocks) return maxBlocks
  if (!Number.isFinite(badBlocks)) return Number.POSITIVE_INFINITY
  if (okBlocks === 0 || okBlocks < badBlocks / 4) return Math.max(1, Math.floor(badBlocks / 2))
  return GUESSES.find((guess) => guess > okBlocks && guess < badBlocks) ?? okBlocks
}
