// Judges endpoints look by look, as a crawl does, as a child process, since that takes as long as filling the store.
import { looksOf } from '../support/history.ts'
import { judgeEach } from '../support/judged.ts'

/** An endpoint to judge, by number. */
export type Task = { readonly endpoint: number; readonly looks: number; readonly now: number }

process.on('message', ({ endpoint, looks, now }: Task) => {
  process.send?.(judgeEach(endpoint, looksOf(endpoint, looks, now)))
})
process.on('disconnect', () => process.exit())
