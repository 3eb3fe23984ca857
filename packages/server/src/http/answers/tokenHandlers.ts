import { MoneyError } from '@touchstone402/shared'
import type { ReadOptions, TokenAnswers } from '@touchstone402/transfers'
import { ChainError, type ChainErrorCode, TokenError } from '@touchstone402/transfers/errors'
import { ProblemError } from '../../lib/problemError.ts'
import type { Answers } from '../deps.ts'
import { badQuery } from '../free/freeRoute.ts'

/**
 * Returns the handlers of `/pulse`, `/whales`, `/flow` and `/momentum`.
 * @param readMs time limit for reading the chain, in ms; the rest of the handler's time is for the answer
 */
export function tokenHandlers(
  tokens: TokenAnswers,
  readMs: number,
): Pick<Answers, 'pulse' | 'whales' | 'flow' | 'momentum'> {
  const answer = async <T>(signal: AbortSignal, ask: (limits: ReadOptions) => Promise<T>): Promise<T> => {
    try {
      return await ask({ signal, deadlineAt: Date.now() + readMs })
    } catch (error) {
      throw toProblemError(error)
    }
  }
  return {
    pulse: (query, { signal }) => answer(signal, (limits) => tokens.pulse({ ...query, ...limits })),
    whales: (query, { signal }) => answer(signal, (limits) => tokens.whales({ ...query, ...limits })),
    flow: (query, { signal }) => answer(signal, (limits) => tokens.flow({ ...query, ...limits })),
    momentum: (query, { signal }) => answer(signal, (limits) => tokens.momentum({ ...query, ...limits })),
  }
}

const SHORTER = 'Use a shorter window, or partial=1 for a partial answer.'
// The text of an error may quote an RPC, so callers get these.
const CHAIN_PROBLEMS: Readonly<Record<ChainErrorCode, { detail: string; retryAfterSeconds: number }>> = {
  unreachable: { detail: 'The chain is not available.', retryAfterSeconds: 10 },
  deadline: { detail: `The window could not be read in time. ${SHORTER}`, retryAfterSeconds: 5 },
  disagreement: { detail: 'The sources of chain data disagree.', retryAfterSeconds: 30 },
  not_there_yet: { detail: 'The latest blocks are not available yet.', retryAfterSeconds: 2 },
  too_large: {
    detail: `The window has too many transfers for one answer. ${SHORTER}`,
    retryAfterSeconds: 60,
  },
  reverted: { detail: 'The chain is not available.', retryAfterSeconds: 10 },
  bad_answer: { detail: 'The chain is not available.', retryAfterSeconds: 10 },
}

/** Maps errors of the chain to problems. None is charged, since the caller gets no answer. */
function toProblemError(error: unknown): unknown {
  if (error instanceof TokenError) return new ProblemError(404, error.code, `${error.message}.`)
  if (error instanceof MoneyError) {
    return badQuery([{ parameter: 'min', code: 'malformed', message: `min: ${error.message}` }])
  }
  if (error instanceof ChainError) {
    const { detail, retryAfterSeconds } = CHAIN_PROBLEMS[error.code]
    return new ProblemError(503, `chain_${error.code}`, detail, { retryAfterSeconds })
  }
  return error
}
