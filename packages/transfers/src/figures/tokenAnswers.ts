import type { Flow, Momentum, Pulse, Whales, WindowName } from '@touchstone402/shared'
import { createWindowAnswers } from './answerWindow.ts'
import { createWindowReader, type TokenAnswersDeps, type WindowQuery } from './readWindow.ts'

/** Query of a token operation. */
export type TokenQuery = WindowQuery & {
  /** @default 1h */
  readonly window?: WindowName | undefined
}

/**
 * The four token operations.
 *
 * Each rejects with TokenError (404, not charged) if the address is not a token, and with ChainError (503, not
 * charged) if the window cannot be read in full and `partial` is not set.
 */
export type TokenAnswers = {
  pulse(query: TokenQuery): Promise<Pulse>
  /** `min` is in token units. @throws MoneyError if it has more decimals than the token */
  whales(query: TokenQuery & { readonly min?: string | undefined }): Promise<Whales>
  flow(query: TokenQuery): Promise<Flow>
  momentum(query: TokenQuery): Promise<Momentum>
}

/** Creates the token operations over a transfer source. */
export function createTokenAnswers(deps: TokenAnswersDeps): TokenAnswers {
  const reader = createWindowReader(deps)
  const answers = createWindowAnswers(deps.source, reader)
  return {
    pulse: async (query) => answers.pulse(await reader.newest(query), query),
    whales: async (query) => answers.whales(await reader.newest(query), query),
    flow: async (query) => answers.flow(await reader.newest(query), query),
    momentum: async (query) => answers.momentum(await reader.newest(query), query),
  }
}
