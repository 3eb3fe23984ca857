import { ProblemError } from './problems.ts'

/** How long a handler may take by default. */
export const DEADLINE_MS = 10_000

/**
 * Waits for a handler's answer with a time limit. A handler that does not listen to `stop` is left behind.
 * @param stop aborted at the limit
 * @throws ProblemError 503 at the limit; what the handler throws otherwise.
 */
export async function withDeadline<T>(answer: Promise<T>, ms: number, stop?: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const tooSlow = new ProblemError(503, 'deadline_exceeded', 'This took too long; please try again.', {
        retryAfterSeconds: 5,
      })
      stop?.abort(tooSlow)
      reject(tooSlow)
    }, ms)
  })
  try {
    return await Promise.race([answer, expired])
  } finally {
    clearTimeout(timer)
  }
}
