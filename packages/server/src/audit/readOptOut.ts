import { DAY } from '../domain/facts/times.ts'
import { declinesProbes, isDisallowed } from '../domain/judge/optOut.ts'
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

/** Makes the reader. A document that cannot be had declines nothing; one that we failed to ask for is asked for again. */
export function createOptOutReader({
  prober,
  clock,
}: {
  prober: Pick<Prober, 'document'>
  clock: Pick<Clock, 'now'>
}): OptOutReader {
  const words = new Map<string, Word>()

  /** Asks for both documents, and remembers what they say where both could be asked for. */
  async function ask(origin: string, signal: AbortSignal | undefined): Promise<Word> {
    let isCertain = true
    const read = async (path: string) => {
      const text = await prober.document(`${origin}${path}`, signal, () => {
        isCertain = false
      })
      return text ?? ''
    }
    const robots = await read('/robots.txt')
    const word = { at: clock.now(), robots, isDeclined: declinesProbes(await read('/.well-known/x402')) }
    // What was last known holds until there is another word.
    if (!isCertain) return words.get(origin) ?? word
    words.delete(origin)
    words.set(origin, keepSmall(word))
    const [oldest] = words.keys()
    if (words.size > MAX_KEPT && oldest !== undefined) words.delete(oldest)
    return word
  }

  return {
    async isOptedOut(endpoint, signal) {
      const { origin, pathname } = new URL(endpoint)
      const known = words.get(origin)
      const isFresh = known !== undefined && clock.now() - known.at < DAY
      const word = isFresh ? known : await ask(origin, signal)
      return word.isDeclined || isDisallowed(word.robots, pathname)
    },
  }
}

/** A file that does not name the prober need not be kept. */
const keepSmall = (word: Word): Word => (/touchstone/i.test(word.robots) ? word : { ...word, robots: '' })
