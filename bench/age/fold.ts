// Judges endpoints by their made looks as a child process, since folding takes most of the time of filling a store.
import { isDeepStrictEqual } from 'node:util'
import { looksOf } from '../support/history.ts'
import { type Judged, judgeAtOnce, judgeEach } from '../support/judged.ts'

/** Endpoints to judge, by number. */
export type Task = {
  readonly from: number
  readonly to: number
  readonly looks: number
  /** Time at which the looks end. */
  readonly now: number
  /** One in so many endpoints is judged look by look too. */
  readonly sample: number
}

/** Their documents, in order, and the numbers of those that look by look give another document. */
export type Folded = { readonly judged: readonly Judged[]; readonly different: readonly number[] }

process.on('message', ({ from, to, looks, now, sample }: Task) => {
  const judged: Judged[] = []
  const different: number[] = []
  for (let endpoint = from; endpoint < to; endpoint++) {
    const made = looksOf(endpoint, looks, now)
    const one = judgeAtOnce(endpoint, made)
    judged.push(one)
    if (endpoint % sample !== 0) continue
    // As it is stored.
    const [atOnce, each] = [one.document, judgeEach(endpoint, made)].map(toJson)
    if (!isDeepStrictEqual(atOnce, each)) different.push(endpoint)
  }
  process.send?.({ judged, different } satisfies Folded)
})
process.on('disconnect', () => process.exit())

const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
