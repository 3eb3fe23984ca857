import { ProblemError } from './problems.ts'

/** How long a handler may take by default. */
export const DEADLINE_MS = 10_000

/**
 * Runs a handler with a time limit. Its signal fires at the limit and when the outer one does; a handler that
 * does not listen is left behind.
 * @throws ProblemError 503 at the limit; what the handler throws otherwise.
 */
export async function withDeadline<T>(
  run: (signal: AbortSignal) => Promise<T> | T,
  ms: number,
  outer?: AbortSignal,
): Promise<T> {
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const tooSlow = new ProblemError(503, 'deadline_exceeded', 'This took too long; please try again.', {
        retryAfterSeconds: 5,
      })
      limit.abort(tooSlow)
      reject(tooSlow)
    }, ms)
  })
  try {
    const signal = outer ? AbortSignal.any([outer, limit.signal]) : limit.signal
    return await Promise.race([Promise.resolve(run(signal)), expired])
  } finally {
    clearTimeout(timer)
  }
}
