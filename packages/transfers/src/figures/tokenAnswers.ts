import type { Flow, Momentum, Pulse, TokenWindow, Whales, WindowName } from '@touchstone402/shared'
import { ChainError } from '../chainError.ts'
import { createAddressTable } from '../columns/addressTable.ts'
import { createColumnBuilder } from '../columns/columnBuilder.ts'
import { TokenError } from '../tokenError.ts'
import type { Address, BlockRange, Heads, ReadOptions, TransferColumns, TransferSource } from '../types.ts'
import type { AnswerContext } from './answer.ts'
import { createFitCheck } from './fitCheck.ts'
import { describeFlow } from './flow.ts'
import { measureFlow } from './flowFigures.ts'
import { createLabels } from './labels.ts'
import { compareWindows, measureWindow, type WindowFigures } from './momentum.ts'
import { measurePulse } from './pulse.ts'
import { tokenWarnings, type WellKnownToken } from './warnings.ts'
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
  /** Tokens whose symbol others may imitate. */
  readonly wellKnown?: readonly WellKnownToken[]
}

const WINDOW_SECONDS: Readonly<Record<WindowName, number>> = {
  '5m': 300,
  '15m': 900,
  '1h': 3600,
  '6h': 21_600,
  '24h': 86_400,
}
const TRAILING_WINDOWS = 12
const iso = (ms: number) => new Date(ms).toISOString()

type Reading = {
  readonly columns: TransferColumns
  readonly heads: Heads
  readonly context: AnswerContext
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

  const requireToken = async (address: Address, options: ReadOptions) => {
    const token = await source.token(address, options)
    if (!token.isContract)
      throw new TokenError('not_a_contract', `${checksum(address)} holds no code on this chain`)
    if (!token.isErc20) throw new TokenError('not_erc20', `${checksum(address)} is not an ERC-20 token`)
    return token
  }

  const readRange = (
    token: Address,
    { from, to }: BlockRange,
    heads: Heads,
    { signal, deadlineAt, partial }: TokenQuery,
  ) => source.transfers({ token, fromBlock: from, toBlock: to, heads, signal, deadlineAt, partial })

  const read = async (query: TokenQuery): Promise<Reading> => {
    const { signal, deadlineAt, window: name = '1h' } = query
    const options = { signal, deadlineAt }
    const address = query.token.toLowerCase() as Address
    const [token, heads] = await Promise.all([requireToken(address, options), source.heads(options)])
    const { latest } = heads
    const start = await source.firstBlockAfter(latest.time - WINDOW_SECONDS[name], heads, options)
    const { columns, coverage } = await readRange(
      address,
      { from: start.number, to: latest.number },
      heads,
      query,
    )
    if (coverage.ranges.length === 0)
      throw new ChainError('deadline', 'No part of the window could be read before the deadline')
    const window: TokenWindow = {
      name,
      fromBlock: start.number,
      toBlock: latest.number,
      fromTime: iso(start.time * 1000),
      toTime: iso(latest.time * 1000),
      headLagBlocks: coverage.heads.latest.number - latest.number,
      finality: coverage.finality,
      complete: coverage.complete,
      truncated: coverage.truncated,
      ranges: [...coverage.ranges],
    }
    const warnings = tokenWarnings(token, wellKnown, fits.known(address))
    const isContract = () => undefined
    const context = { token, window, labels, isContract, checksum, warnings, ts: iso(now()) }
    return { columns, heads: coverage.heads, context }
  }

  /** Looks up which of the listed addresses hold code. Skips labelled ones. */
  const withCode = async (context: AnswerContext, addresses: readonly Address[], options: ReadOptions) => {
    const unlabelled = [...new Set(addresses)].filter((address) => labels(address) === null)
    const code = await source.contracts(unlabelled, options)
    return { ...context, isContract: (address: Address) => code.get(address) }
  }

  /** Measures the windows before `range` that are cached. */
  const measureTrailing = async (token: Address, range: BlockRange): Promise<WindowFigures[]> => {
    const blocks = range.to - range.from + 1
    const figures: WindowFigures[] = []
    for (let i = 1; i <= TRAILING_WINDOWS; i++) {
      const from = range.from - i * blocks
      if (from < 0) break
      const held = await source.held({ token, fromBlock: from, toBlock: from + blocks - 1 })
      if (held === null) break
      figures.push(measureWindow(held))
    }
    return figures
  }

  /** Reads the window before the current one. It is empty on a chain younger than two windows. */
  const readPrevious = async (token: Address, range: BlockRange, heads: Heads, query: TokenQuery) => {
    if (range.to < range.from)
      return { columns: createColumnBuilder(createAddressTable(0)).finish(), complete: false }
    const { columns, coverage } = await readRange(token, range, heads, query)
    return { columns, complete: coverage.complete }
  }

  return {
    async pulse(query) {
      const { columns, context } = await read(query)
      return measurePulse(columns, context)
    },
    async whales({ min, ...query }) {
      const { columns, context } = await read(query)
      const selection = selectWhales(columns, context.token.decimals, min)
      const [full, times] = await Promise.all([
        withCode(context, selection.addresses, query),
        // No deadline: a partial answer has used up its time, and its rows still need dates.
        source.blockTimes(selection.blocks, { signal: query.signal }),
      ])
      return describeWhales(columns, selection, full, (block) => times.get(block) ?? 0)
    },
    async flow(query) {
      const { columns, context } = await read(query)
      const figures = measureFlow(columns)
      const shown = [...figures.accumulators, ...figures.distributors].map(({ address }) => address)
      const [full, fit] = await Promise.all([
        withCode(context, shown, query),
        fits.check(context.token.address, context.window, figures.accumulators[0], query),
      ])
      return describeFlow(figures, { ...full, warnings: tokenWarnings(context.token, wellKnown, fit) })
    },
    async momentum(query) {
      const { columns, heads, context } = await read(query)
      const { fromBlock, toBlock } = context.window
      const blocks = toBlock - fromBlock + 1
      const range = { from: Math.max(0, fromBlock - blocks), to: fromBlock - 1 }
      const token = context.token.address
      const previous = await readPrevious(token, range, heads, query)
      const trailing = await measureTrailing(token, range)
      return compareWindows(measureWindow(columns), measureWindow(previous.columns), trailing, context, {
        fromBlock: range.from,
        toBlock: range.to,
        complete: previous.complete && range.to - range.from + 1 === blocks,
      })
    },
  }
}
