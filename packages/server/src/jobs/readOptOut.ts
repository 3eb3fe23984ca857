import { DAY } from '../domain/durations.ts'
import { declinesProbes, isDisallowed } from '../domain/optOut.ts'
import type { Clock } from '../ports/clock.ts'
import type { Prober } from '../ports/prober.ts'

/** Asks hosts whether they want to be probed. */
export type OptOutReader = {
  /** Whether the endpoint's host declines, by `robots.txt` or `/.well-known/x402`; its word is asked for once a day. */
  isOptedOut(endpoint: string, signal?: AbortSignal): Promise<boolean>
}

/** Words that are kept at once; the oldest goes first. */
const MAX_KEPT = 50_000

type Word = { readonly at: number; readonly robots: string; readonly isDeclined: boolean }

/** Makes the reader. A document that cannot be had declines nothing. */
export function createOptOutReader({
  prober,
  clock,
}: {
  prober: Pick<Prober, 'document'>
  clock: Clock
}): OptOutReader {
  const words = new Map<string, Word>()
  return {
    async isOptedOut(endpoint, signal) {
      const { origin, pathname } = new URL(endpoint)
      let word = words.get(origin)
      if (word === undefined || clock.now() - word.at >= DAY) {
        const robots = (await prober.document(`${origin}/robots.txt`, signal)) ?? ''
        const wellKnown = (await prober.document(`${origin}/.well-known/x402`, signal)) ?? ''
        word = { at: clock.now(), robots, isDeclined: declinesProbes(wellKnown) }
        words.delete(origin)
        words.set(origin, keepSmall(word))
        const [oldest] = words.keys()
        if (words.size > MAX_KEPT && oldest !== undefined) words.delete(oldest)
      }
      return word.isDeclined || isDisallowed(word.robots, pathname)
    },
  }
}

/** A file that does not name the prober need not be kept. */
const keepSmall = (word: Word): Word => (/touchstone/i.test(word.robots) ? word : { ...word, robots: '' })
