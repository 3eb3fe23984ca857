import type { TokenDay, TokenWarning } from '@touchstone402/shared'
import type { ChainErrorCode, TokenErrorCode } from '@touchstone402/transfers'
import type { Context } from '../context.ts'
import { DAY } from '../facts/times.ts'
import { readDocument, readDocuments } from '../store/documents.ts'
import { createSoldTokens } from './soldTokens.ts'

/** Why a day could not be read. */
export type DayFailure = ChainErrorCode | TokenErrorCode | 'internal'

/** An attempt to read a day. */
export type DayAttempt = {
  readonly date: string
  /** Attempts at this day so far. */
  readonly count: number
  /** Unix time in ms of the last one. */
  readonly at: number
  /** Why it gave nothing; null if it gave a day. */
  readonly failure: DayFailure | null
  /** Whether another attempt would change nothing. */
  readonly isSettled: boolean
}

/** A token in the list: its last day in short, and the last attempt. */
export type TokenLine = {
  readonly name: string | null
  readonly symbol: string | null
  /** Warnings about the token as of its last day. */
  readonly warnings: readonly TokenWarning[]
  /** The day that was read; null if none was. */
  readonly date: string | null
  readonly summary: string | null
  readonly isComplete: boolean
  readonly attempt: DayAttempt
}

/** The stored days of tokens. Tokens are in lower case. Nothing here reads the chain. */
export type TokenDays = {
  /** Lists the tokens whose days are read: those of the configuration, then those that were paid for, newest first. */
  covered(): Promise<string[]>
  line(token: string): Promise<TokenLine | undefined>
  /** Reads all lines at once, by token. */
  lines(): Promise<ReadonlyMap<string, TokenLine>>
  day(token: string): Promise<TokenDay | undefined>
  put(token: string, line: TokenLine, day: TokenDay | null): Promise<void>
}

const LINES = 'token-line'
const DAYS = 'token-day'
/** Longer than a token is covered after a sale. */
const KEPT_MS = 8 * DAY

/** Completes a line of an older version, which has no warnings. */
const withWarnings = (line: TokenLine): TokenLine => ({ ...line, warnings: line.warnings ?? [] })

/** Context of the stored days. */
export type TokenContext = Pick<Context, 'clock' | 'store'> & {
  readonly config: { readonly tokenPages: readonly string[] }
}

/** Creates the access to the stored days of the tokens of the configuration, and of those that were paid for. */
export function createTokenDays(ctx: TokenContext): TokenDays {
  const { clock, config, store } = ctx
  const sold = createSoldTokens(ctx)
  const read = async (kind: string, token: string) =>
    (await readDocument(store, kind, token, clock.now()))?.data
  const write = (kind: string, id: string, data: unknown) => {
    const now = clock.now()
    return store.write('putDocument', { kind, id, expiresAt: now + KEPT_MS, data }, now)
  }
  return {
    covered: async () => [...new Set([...config.tokenPages, ...(await sold.list())])],
    async line(token) {
      const line = (await read(LINES, token)) as TokenLine | undefined
      return line && withWarnings(line)
    },
    async lines() {
      const found = new Map<string, TokenLine>()
      for await (const { id, data } of readDocuments(store, LINES, '', clock.now()))
        found.set(id, withWarnings(data as TokenLine))
      return found
    },
    day: async (token) => (await read(DAYS, token)) as TokenDay | undefined,
    async put(token, line, day) {
      // The list names no day that is not there.
      if (day !== null) await write(DAYS, token, day)
      await write(LINES, token, line)
    },
  }
}
