import type { Flow, Momentum, Pulse, TokenWindow, Whales, WindowName } from '@touchstone402/shared'
import { ChainError } from '../chainError.ts'
import { hasSupplyLogs } from '../columns/columns.ts'
import { createFitCheck } from '../findings/fitCheck.ts'
import { createTokenWarnings } from '../findings/warnings.ts'
import { type WellKnownToken, wellKnownTokens } from '../findings/wellKnownTokens.ts'
import { isBoth, notFungible, TokenError } from '../tokenError.ts'
import type { Address, Heads, ReadOptions, TransferColumns, TransferSource } from '../types.ts'
import { measureActivity } from './activity.ts'
import type { AnswerContext } from './answer.ts'
import { readPrevious, readTrailing } from './earlierWindows.ts'
import { describeFlow } from './flow.ts'
import { measureFlow } from './flowFigures.ts'
import { createLabels } from './labels.ts'
import { compareWindows } from './momentum.ts'
import { measurePulse } from './pulse.ts'
import { describeWhales, selectWhales } from './whales.ts'

/** Query of a token operation. */
export type TokenQuery = ReadOptions & {
  readonly token: Address
  /** @default 1h */
  readonly window?: WindowName | undefined
  /** Answer with the part that was read before the deadline, marked as incomplete. @default false */
  readonly partial?: boolean | undefined
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

const WINDOW_SECONDS: Readonly<Record<WindowName, number>> = {
  '5m': 300,
  '15m': 900,
  '1h': 3600,
  '6h': 21_600,
  '24h': 86_400,
}
const iso = (ms: number) => new Date(ms).toISOString()
const isoOf = (seconds: number | null) => (seconds === null ? null : iso(seconds * 1000))

type Reading = {
  readonly columns: TransferColumns
  readonly heads: Heads
  readonly context: AnswerContext
  /** Unix time in seconds that the window begins after. */
  readonly startsAt: number
  readonly seconds: number
}

/** Creates the token operations over a transfer source. */
export function createTokenAnswers({
  source,
  now,
  checksum,
  wellKnown = [],
}: TokenAnswersDeps): TokenAnswers {
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

  const read = async (query: TokenQuery): Promise<Reading> => {
    const { signal, deadlineAt, partial, window: name = '1h' } = query
    const options = { signal, deadlineAt }
    const address = query.token.toLowerCase() as Address
    const [token, heads] = await Promise.all([requireToken(address, options), source.heads(options)])
    const { latest } = heads
    const seconds = WINDOW_SECONDS[name]
    const startsAt = latest.time - seconds
    const start = await source.firstBlockAfter(startsAt, heads, options)
    const range = { fromBlock: start.number, toBlock: latest.number }
    const { columns, coverage } = await source.transfers({
      token: address,
      ...range,
      heads,
      ...options,
      partial,
    })
    if (coverage.ranges.length === 0)
      throw new ChainError('deadline', 'No part of the window could be read before the deadline')
    const window: TokenWindow = {
      name,
      ...range,
      fromTime: iso(start.time * 1000),
      toTime: iso(latest.time * 1000),
      headLagBlocks: coverage.heads.latest.number - latest.number,
      finality: coverage.finality,
      complete: coverage.complete,
      truncated: coverage.truncated,
      ranges: [...coverage.ranges],
    }
    const context = {
      token,
      window,
      labels,
      isContract: () => undefined,
      checksum,
      warnings: [],
      fit: null,
      hasSupplyLogs: hasSupplyLogs(columns),
      ts: iso(now()),
    }
    return { columns, heads: coverage.heads, context, startsAt, seconds }
  }

  /** Looks up which of the listed addresses hold code, unless labelled, and whether balances fit the transfers. */
  const complete = async (
    { columns, heads, context }: Reading,
    addresses: readonly Address[],
    { signal, deadlineAt }: ReadOptions,
  ): Promise<AnswerContext> => {
    const { token, window } = context
    const unlabelled = [...new Set(addresses)].filter((address) => labels(address) === null)
    const [code, fit] = await Promise.all([
      source.contracts(unlabelled, { signal, deadlineAt }),
      fits(token.address, window, columns, heads.latest.hash, { signal, deadlineAt }),
    ])
    return { ...context, isContract: (address) => code.get(address), fit, warnings: warningsOf(token, fit) }
  }

  return {
    async pulse(query) {
      const reading = await read(query)
      return measurePulse(reading.columns, await complete(reading, [], query))
    },
    async whales({ min, ...query }) {
      const reading = await read(query)
      const { columns, context } = reading
      const selection = selectWhales(columns, context.token.decimals, min)
      const [full, times] = await Promise.all([
        complete(reading, selection.addresses, query),
        // No deadline: a partial answer has used up its time, and its rows still need dates.
        source.blockTimes(selection.blocks, { signal: query.signal }),
      ])
      return describeWhales(columns, selection, full, (block) => times.get(block) ?? 0)
    },
    async flow(query) {
      const reading = await read(query)
      const figures = measureFlow(reading.columns)
      const shown = [...figures.accumulators, ...figures.distributors].map(({ address }) => address)
      return describeFlow(figures, await complete(reading, shown, query))
    },
    async momentum(query) {
      const reading = await read(query)
      const { columns, context, heads, startsAt, seconds } = reading
      const { fromBlock } = context.window
      const current = { token: context.token.address, fromBlock, startsAt, seconds, heads }
      const { signal, deadlineAt } = query
      const previous = await readPrevious(source, current, query)
      const [trailing, full] = await Promise.all([
        readTrailing(source, current, previous, { signal, deadlineAt }),
        complete(reading, [], query),
      ])
      return compareWindows(
        measureActivity(columns),
        measureActivity(previous.columns),
        trailing.map(measureActivity),
        full,
        {
          fromBlock: previous.fromBlock,
          toBlock: previous.toBlock,
          fromTime: isoOf(previous.fromTime),
          toTime: isoOf(previous.toTime),
          complete: previous.complete,
        },
      )
    },
  }
}
