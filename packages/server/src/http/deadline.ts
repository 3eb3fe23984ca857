import { ProblemError } from './problems.ts'

/** Default time limit of a handler. */
export const DEADLINE_MS = 10_000

/** Time limit of a live check, which waits 30 seconds for a seller that has to start first. */
export const LIVE_DEADLINE_MS = 45_000

/**
 * Waits for a handler's answer with a time limit.
 * @param stop aborted at the limit
 * @throws ProblemError 503 at the limit; otherwise what the handler throws
 */
export async function withDeadline<T>(answer: Promise<T>, ms: number, stop?: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const tooSlow = new ProblemError(503, 'deadline_exceeded', 'The request timed out; please retry.', {
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
