import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createEmbeddedStore, type Store } from '@touchstone402/server/parts'
import { LOOKS_PER_DAY, looksOf } from '../support/history.ts'
import type { Folded, Task } from './fold.ts'

/** A history to store. */
export type History = {
  readonly endpoints: number
  readonly days: number
  /** Time at which it ends. */
  readonly now: number
}

/** Endpoints that a child judges at once. */
const BATCH = 20
/** One in so many endpoints is judged look by look too. */
const SAMPLE = 100
const FOLDERS = 2
const REPORT_EVERY = 5000

/**
 * Stores the history of every endpoint in one write each, and the document that folding it gives.
 * @returns numbers of sampled endpoints whose document differs from the one that judging look by look gives
 */
export async function fillFolder(
  directory: string,
  { endpoints, days, now }: History,
): Promise<readonly number[]> {
  const store = await createEmbeddedStore({ directory })
  const looks = days * LOOKS_PER_DAY
  const different: number[] = []
  let next = 0
  let stored = 0
  const takeTask = (): Task | undefined => {
    const from = next
    next = Math.min(endpoints, from + BATCH)
    return from < next ? { from, to: next, looks, now, sample: SAMPLE } : undefined
  }
  const work = async () => {
    const child = fork(new URL('./fold.ts', import.meta.url))
    try {
      let task = takeTask()
      let folded = task && fold(child, task)
      while (task !== undefined && folded !== undefined) {
        const done = task
        const result = await folded
        // The child goes on while this process writes.
        task = takeTask()
        folded = task && fold(child, task)
        different.push(...result.different)
        await write(store, done, result)
        stored += done.to - done.from
        if (stored % REPORT_EVERY < BATCH)
          process.stderr.write(`${stored} of ${endpoints} endpoints stored\n`)
      }
    } finally {
      child.kill()
    }
  }
  try {
    await Promise.all(Array.from({ length: FOLDERS }, work))
  } finally {
    await store.close()
  }
  return different
}

async function fold(child: ChildProcess, task: Task): Promise<Folded> {
  child.send(task)
  const ending = new AbortController()
  const ended = once(child, 'exit', { signal: ending.signal }).then(() =>
    Promise.reject(new Error('folding ended early')),
  )
  try {
    const [folded] = (await Promise.race([once(child, 'message'), ended])) as [Folded]
    return folded
  } finally {
    ended.catch(() => undefined)
    ending.abort()
  }
}

async function write(store: Store, { from, looks, now }: Task, { judged }: Folded): Promise<void> {
  for (const [index, { document, written }] of judged.entries()) {
    const made = looksOf(from + index, looks, now)
    await store.putEndpoint(document, { ...written, facts: [...written.facts, ...made] })
  }
}
