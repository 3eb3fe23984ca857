import {
  OPERATIONS,
  type PaidOperationId,
  type TokenDay,
  type TokenList,
  type TokenPage,
} from '@touchstone402/shared'
import { getAddress } from 'viem'
import type { Config } from '../config/config.ts'
import { toTimestamp } from '../facts/times.ts'
import type { DayFailure, TokenDays, TokenLine } from './tokenDays.ts'

/** The paid operations about a token. */
export const TOKEN_OPERATIONS = [
  'pulse',
  'whales',
  'flow',
  'momentum',
] as const satisfies readonly PaidOperationId[]

// Errors may quote an RPC, so readers get these.
const REASONS: Readonly<Record<DayFailure, string>> = {
  unreachable: 'The chain was not available.',
  reverted: 'The chain was not available.',
  bad_answer: 'The chain was not available.',
  deadline: 'The transfers of the day could not be read in time.',
  disagreement: 'The sources of chain data disagreed.',
  not_there_yet: 'The blocks of the day were not available.',
  too_large: 'The day has too many transfers for one answer.',
  not_a_contract: 'The address holds no code on this chain.',
  not_erc20: 'The address is not an ERC-20 token in a form that can be read.',
  internal: 'Something went wrong on our side.',
}

/** Dependencies of token descriptions. */
export type DescribeDeps = {
  readonly tokenDays: Omit<TokenDays, 'put'>
  readonly config: Pick<Config, 'publicUrl' | 'network' | 'prices'>
}

/** URL of the page of a token. @param origin empty for a path */
export const tokenUrl = (origin: string, token: string) => `${origin}/tokens/${getAddress(token)}`

/** Describes the stored day of a token, which need not be covered. */
export async function describeToken(
  { tokenDays, config: { publicUrl, network, prices } }: DescribeDeps,
  given: string,
  now: number,
): Promise<TokenPage> {
  const key = given.toLowerCase()
  const [covered, line, day] = await Promise.all([
    tokenDays.covered(),
    tokenDays.line(key),
    tokenDays.day(key),
  ])
  const token = getAddress(key)
  return {
    asOf: toTimestamp(now),
    token,
    network,
    isCovered: covered.includes(key),
    day: day ?? null,
    failure: describeFailure(line, day),
    live: TOKEN_OPERATIONS.map((operation) => ({
      operation,
      url: `${publicUrl}${OPERATIONS[operation].path}?token=${token}`,
      priceUsd: Number(prices[operation]),
    })),
  }
}

function describeFailure(line: TokenLine | undefined, day: TokenDay | undefined): TokenPage['failure'] {
  const { failure = null, date, at } = line?.attempt ?? {}
  // A day that was read stays, even if a later attempt to complete it failed.
  if (failure === null || date === undefined || at === undefined || day?.date === date) return null
  return { date, at: toTimestamp(at), reason: REASONS[failure] }
}

/** Lists the covered tokens. */
export async function describeTokens({ tokenDays, config }: DescribeDeps, now: number): Promise<TokenList> {
  const [covered, lines] = await Promise.all([tokenDays.covered(), tokenDays.lines()])
  const tokens = covered.map((key) => {
    const { name, symbol, warnings, date, summary, isComplete } = lines.get(key) ?? NOTHING
    const described = {
      token: getAddress(key),
      name,
      symbol,
      warnings: [...warnings],
      date,
      summary,
      isComplete,
    }
    return { ...described, page: tokenUrl(config.publicUrl, key) }
  })
  return { asOf: toTimestamp(now), tokens }
}

const NOTHING = {
  name: null,
  symbol: null,
  warnings: [],
  date: null,
  summary: null,
  isComplete: false,
}
