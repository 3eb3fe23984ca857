import { fork } from 'node:child_process'
import { once } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import { createEmbeddedStore, type EndpointDocument } from '@touchstone402/server/parts'
import { LOOKS_PER_DAY } from '../support/history.ts'
import { judgeAtOnce } from '../support/judged.ts'
import type { Task } from './judgeSample.ts'
import { createPatterns } from './patterns.ts'

/** A history to store. */
export type History = {
  readonly endpoints: number
  readonly days: number
  /** Time at which it ends. */
  readonly now: number
}

/** One in so many endpoints is judged look by look too. */
const SAMPLE = 100
const REPORT_EVERY = 5000
/** Number of endpoints that are written at once. */
const AT_ONCE = 8

/**
 * Stores the history of every endpoint in one write each, with the document that folding it gives.
 * @returns numbers of sampled endpoints whose document differs from the one that judging look by look gives
 */
export async function fillFolder(directory: string, history: History): Promise<readonly number[]> {
  const { endpoints, days, now } = history
  const store = await createEmbeddedStore({ directory })
  const make = createPatterns(days * LOOKS_PER_DAY, now)
  const sample = checkSample(history, (endpoint) => {
    const { looks, folded } = make(endpoint)
    return judgeAtOnce(endpoint, looks, folded).document
  })
  let next = 0
  const write = async () => {
    for (let endpoint = next++; endpoint < endpoints; endpoint = next++) {
      const { looks, folded } = make(endpoint)
      const { document, written } = judgeAtOnce(endpoint, looks, folded)
      await store.putEndpoint(document, { ...written, facts: [...written.facts, ...looks] })
      if ((endpoint + 1) % REPORT_EVERY === 0) process.stderr.write(`${endpoint + 1} endpoints stored\n`)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, write))
    return await sample
  } finally {
    await store.close()
  }
}

/** Judges a sample look by look, in a child process. Returns the numbers of those with another document. */
async function checkSample(
  { endpoints, days, now }: History,
  documentOf: (endpoint: number) => EndpointDocument,
): Promise<number[]> {
  const child = fork(new URL('./judgeSample.ts', import.meta.url))
  const different: number[] = []
  try {
    // Odd steps, so that every pattern comes up.
    for (let endpoint = 0; endpoint < endpoints; endpoint += SAMPLE + 1) {
      child.send({ endpoint, looks: days * LOOKS_PER_DAY, now } satisfies Task)
      const [message] = (await once(child, 'message')) as [EndpointDocument]
      // As it is stored.
      const wanted: unknown = JSON.parse(JSON.stringify(documentOf(endpoint)))
      if (!isDeepStrictEqual(message, wanted)) different.push(endpoint)
    }
    return different
  } finally {
    child.kill()
  }
}
