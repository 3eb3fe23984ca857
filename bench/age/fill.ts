import { createEmbeddedStore } from '@touchstone402/server/parts'
import { LOOKS_PER_DAY } from '../support/history.ts'
import { judgeAtOnce } from '../support/judged.ts'
import { createPatterns } from './patterns.ts'

/** A history to store. */
export type History = {
  readonly endpoints: number
  readonly days: number
  /** Time at which it ends. */
  readonly now: number
}

const REPORT_EVERY = 5000
/** Number of endpoints that are written at once. */
const AT_ONCE = 8

/**
 * Stores the history of every endpoint in one write each, with the document that folding it gives.
 */
export async function fillFolder(directory: string, history: History): Promise<void> {
  const { endpoints, days, now } = history
  const store = await createEmbeddedStore({ directory })
  const make = createPatterns(days * LOOKS_PER_DAY, now)
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
  } finally {
    await store.close()
  }
}
