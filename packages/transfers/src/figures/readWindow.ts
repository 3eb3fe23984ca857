import type { TokenWindow, WindowName } from '@touchstone402/shared'
import { ChainError } from '../chainError.ts'
import { hasSupplyLogs } from '../columns/columns.ts'
import { createFitCheck } from '../findings/fitCheck.ts'
import { createTokenWarnings } from '../findings/warnings.ts'
import { type WellKnownToken, wellKnownTokens } from '../findings/wellKnownTokens.ts'
import { isBoth, notFungible, TokenError } from '../tokenError.ts'
import type { Address, BlockRef, Heads, ReadOptions, TransferColumns, TransferSource } from '../types.ts'
import type { AnswerContext } from './answer.ts'
import { createLabels } from './labels.ts'

/** Dependencies of the token operations. */
export type TokenAnswersDeps = {
  readonly source: TransferSource
  /** Unix time in ms. */
  readonly now: () => number
  /** Returns the EIP-55 form of an address. */
  readonly checksum: (address: Address) => string
  /** Tokens that others may imitate, besides those known on the chain. @default none */
  readonly wellKnown?: readonly WellKnownToken[]
}

/** Which token to read, and how. */
export type WindowQuery = ReadOptions & {
  readonly token: Address
  /** Answer with the part that was read before the deadline, marked as incomplete. @default false */
  readonly partial?: boolean | undefined
}

/** The transfers of a window, and what an answer needs beside them. */
export type Reading = {
  readonly columns: TransferColumns
  readonly heads: Heads
  readonly context: AnswerContext
  /** Unix time in seconds that the window begins after. */
  readonly startsAt: number
  readonly seconds: number
}

/** Reads windows of tokens. Each read rejects with TokenError or ChainError. */
export type WindowReader = {
  /** Reads the window that ends at the newest block. */
  newest(query: WindowQuery & { readonly window?: WindowName | undefined }): Promise<Reading>
  /** Reads one UTC day, `YYYY-MM-DD`. */
  day(query: WindowQuery & { readonly date: string }): Promise<Reading>
  /** Looks up which of the listed addresses hold code, unless labelled, and whether balances fit the transfers. */
  complete(reading: Reading, addresses: readonly Address[], read: ReadOptions): Promise<AnswerContext>
}

const WINDOW_SECONDS: Readonly<Record<WindowName, number>> = {
  '5m': 300,
  '15m': 900,
  '1h': 3600,
  '6h': 21_600,
  '24h': 86_400,
}
const iso = (ms: number) => new Date(ms).toISOString()

/** A window before it is read. */
type Span = Pick<TokenWindow, 'name' | 'toBlock'> & {
  readonly start: Pick<BlockRef, 'number' | 'time'>
  /** Unix time in seconds of the last block. */
  readonly endTime: number
  readonly startsAt: number
  readonly when: string
}

/** Creates the reader of windows over a transfer source. */
export function createWindowReader({
  source,
  now,
  checksum,
  wellKnown = [],
}: TokenAnswersDeps): WindowReader {
  const labels = createLabels(source.chainId)
  const fits = createFitCheck(source, now)
  const warningsOf = createTokenWarnings([...wellKnown, ...wellKnownTokens(source.chainId)])

  const requireToken = async (address: Address, options: ReadOptions) => {
    const token = await source.token(address, options)
    if (!token.isContract)
      throw new TokenError('not_a_contract', `${checksum(address)} holds no code on this chain`)
    if (token.isErc404) throw isBoth(address)
    if (token.isErc721) throw notFungible(address)
    if (!token.isErc20) throw new TokenError('not_erc20', `${checksum(address)} is not an ERC-20 token`)
    return token
  }

  const read = async (
    query: WindowQuery,
    findSpan: (heads: Heads, options: ReadOptions) => Promise<Span>,
  ): Promise<Reading> => {
    const { signal, deadlineAt, allowance, partial } = query
    const options = { signal, deadlineAt, allowance }
    const address = query.token.toLowerCase() as Address
    const [token, known] = await Promise.all([requireToken(address, options), source.heads(options)])
    const { name, start, toBlock, endTime, startsAt, when } = await findSpan(known, options)
    const range = { fromBlock: start.number, toBlock }
    const { columns, coverage } = await source.transfers({
      token: address,
      ...range,
      heads: known,
      ...options,
      partial,
    })
    if (coverage.ranges.length === 0)
      throw new ChainError('deadline', 'No part of the window could be read before the deadline')
    const window: TokenWindow = {
      name,
      ...range,
      fromTime: iso(start.time * 1000),
      toTime: iso(endTime * 1000),
      headLagBlocks: coverage.heads.latest.number - toBlock,
      finality: coverage.finality,
      complete: coverage.complete,
      truncated: coverage.truncated,
      ranges: [...coverage.ranges],
    }
    const context = {
      token,
      network: `eip155:${source.chainId}`,
      window,
      when,
      labels,
      isContract: () => undefined,
      checksum,
      warnings: warningsOf(token, null),
      fit: null,
      hasSupplyLogs: hasSupplyLogs(columns),
      ts: iso(now()),
    }
    return { columns, heads: coverage.heads, context, startsAt, seconds: WINDOW_SECONDS[name] }
  }

  return {
    newest: ({ window: name = '1h', ...query }) =>
      read(query, async (heads, options) => {
        const { latest } = heads
        const startsAt = latest.time - WINDOW_SECONDS[name]
        const start = await source.firstBlockAfter(startsAt, heads, options)
        const end = { toBlock: latest.number, endTime: latest.time }
        return { name, start, ...end, startsAt, when: `in the last ${name}` }
      }),
    day: ({ date, ...query }) =>
      read(query, async (heads, options) => {
        // A block of midnight belongs to the day that begins.
        const startsAt = Date.parse(date) / 1000 - 1
        const endsAt = startsAt + WINDOW_SECONDS['24h']
        if (heads.latest.time <= endsAt)
          throw new ChainError('not_there_yet', `The chain has not reached the end of ${date}`)
        const start = await source.firstBlockAfter(startsAt, heads, options)
        const next = await source.firstBlockAfter(endsAt, heads, options)
        const toBlock = next.number - 1
        if (toBlock < start.number || start.time > endsAt)
          throw new ChainError('not_there_yet', `The chain has no block of ${date}`)
        const endTime = (await source.blockTimes([toBlock], options)).get(toBlock) ?? endsAt
        return { name: '24h', start, toBlock, endTime, startsAt, when: `on ${date} (UTC)` }
      }),
    async complete({ columns, heads, context }, addresses, { signal, deadlineAt, allowance }) {
      const { token, window } = context
      const options = { signal, deadlineAt, allowance }
      const unlabelled = [...new Set(addresses)].filter((address) => labels(address) === null)
      const [code, fit] = await Promise.all([
        source.contracts(unlabelled, options),
        fits(token.address, window, columns, heads.latest.hash, options),
      ])
      return { ...context, isContract: (address) => code.get(address), fit, warnings: warningsOf(token, fit) }
    },
  }
}
