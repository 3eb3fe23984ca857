import { ChainError } from '../chainError.ts'
import { TokenError } from '../tokenError.ts'
import type {
  Address,
  BlockRange,
  Heads,
  ReadOptions,
  TransferColumns,
  TransferRead,
  TransferSource,
} from '../types.ts'
import { type AnswerContext, WINDOW_SECONDS, type WindowInfo, type WindowName } from './answer.ts'
import { createFitCheck } from './fitCheck.ts'
import { describeFlow, type Flow } from './flow.ts'
import { measureFlow } from './flowFigures.ts'
import { createLabels } from './labels.ts'
import { compareWindows, type Momentum, measureWindow, type WindowFigures } from './momentum.ts'
import { measurePulse, type Pulse } from './pulse.ts'
import { tokenWarnings, type WellKnownToken } from './warnings.ts'
import { describeWhales, selectWhales, type Whales } from './whales.ts'

/** What a token operation is asked. */
export type TokenQuery = ReadOptions & {
  readonly token: Address
  /** @default 1h */
  readonly window?: WindowName | undefined
  /** Answer with what could be read in time, marked as incomplete. @default false */
  readonly partial?: boolean | undefined
}

/**
 * The four token operations.
 *
 * Each rejects with TokenError (404, not charged) when the address is no token, and with ChainError (503, not
 * charged) when the window cannot be read in full and `partial` was not asked for.
 */
export type TokenAnswers = {
  pulse(query: TokenQuery): Promise<Pulse>
  /** `min` is in token units. @throws MoneyError when it has more decimals than the token */
  whales(query: TokenQuery & { readonly min?: string | undefined }): Promise<Whales>
  flow(query: TokenQuery): Promise<Flow>
  momentum(query: TokenQuery): Promise<Momentum>
}

export type TokenAnswersDeps = {
  readonly source: TransferSource
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** EIP-55 form of an address. */
  readonly checksum: (address: Address) => string
  /** Tokens whose symbol others may borrow. */
  readonly wellKnown?: readonly WellKnownToken[]
}

const TRAILING = 12
const iso = (ms: number) => new Date(ms).toISOString()

type Reading = { readonly read: TransferRead; readonly window: WindowInfo; readonly context: AnswerContext }

/** Creates the operations over a transfer source. */
export const createTokenAnswers = ({
  source,
  now,
  checksum,
  wellKnown = [],
}: TokenAnswersDeps): TokenAnswers => {
  const labels = createLabels(source.chainId)

  const fits = createFitCheck(source, now)

  const requireToken = async (address: Address, options: ReadOptions) => {
    const token = await source.token(address, options)
    if (!token.isContract)
      throw new TokenError('not_a_contract', `${checksum(address)} holds no code on this chain`)
    if (!token.isErc20)
      throw new TokenError('not_erc20', `${checksum(address)} does not answer as an ERC-20 token`)
    return token
  }

  const read = async (query: TokenQuery): Promise<Reading> => {
    const { signal, deadlineAt, partial, window: name = '1h' } = query
    const options = { signal, deadlineAt }
    const address = query.token.toLowerCase() as Address
    const [token, heads] = await Promise.all([requireToken(address, options), source.heads(options)])
    const { latest } = heads
    const start = await source.firstBlockAfter(latest.time - WINDOW_SECONDS[name], heads, options)
    const found = await source.transfers({
      ...options,
      token: address,
      fromBlock: start.number,
      toBlock: latest.number,
      heads,
      partial,
    })
    const { coverage } = found
    if (coverage.ranges.length === 0)
      throw new ChainError('deadline', 'No part of the window could be read in time')
    const window: WindowInfo = {
      name,
      fromBlock: start.number,
      toBlock: latest.number,
      fromTime: iso(start.time * 1000),
      toTime: iso(latest.time * 1000),
      headLagBlocks: coverage.heads.latest.number - latest.number,
      finality: coverage.finality,
      complete: coverage.complete,
      truncated: coverage.truncated,
      ranges: coverage.ranges,
    }
    const context: AnswerContext = {
      token,
      window,
      labels,
      isContract: () => undefined,
      checksum,
      warnings: tokenWarnings(token, wellKnown, fits.known(address)),
      ts: iso(now()),
    }
    return { read: found, window, context }
  }

  /** Looks up which of the shown addresses hold code; labels and failures leave them as they are. */
  const withCode = async (context: AnswerContext, addresses: readonly Address[], options: ReadOptions) => {
    const unlabelled = [...new Set(addresses)].filter((address) => labels(address) === null)
    const code = await source.contracts(unlabelled, options)
    return { ...context, isContract: (address: Address) => code.get(address) }
  }

  /** Figures of the windows before `range` that are at hand without asking the chain. */
  const trailing = async (token: Address, range: BlockRange): Promise<WindowFigures[]> => {
    const blocks = range.to - range.from + 1
    const figures: WindowFigures[] = []
    for (let i = 1; i <= TRAILING; i++) {
      const from = range.from - i * blocks
      if (from < 0) break
      const held = await source.held({ token, fromBlock: from, toBlock: from + blocks - 1 })
      if (held === null) break
      figures.push(measureWindow(held))
    }
    return figures
  }

  return {
    async pulse(query) {
      const { read: found, context } = await read(query)
      return measurePulse(found.columns, context)
    },
    async whales({ min, ...query }) {
      const { read: found, context } = await read(query)
      const selection = selectWhales(found.columns, context.token.decimals, min)
      const [full, times] = await Promise.all([
        withCode(context, selection.addresses, query),
        // A partial answer has used up its time for reading; its rows still have to be dated.
        source.blockTimes(selection.blocks, { signal: query.signal }),
      ])
      return describeWhales(found.columns, selection, full, (block) => times.get(block) ?? 0)
    },
    async flow(query) {
      const { read: found, context } = await read(query)
      const figures = measureFlow(found.columns)
      const shown = [...figures.accumulators, ...figures.distributors].map(({ address }) => address)
      const [full, fit] = await Promise.all([
        withCode(context, shown, query),
        fits.check(context.token.address, context.window, figures.accumulators[0], query),
      ])
      return describeFlow(figures, { ...full, warnings: tokenWarnings(context.token, wellKnown, fit) })
    },
    async momentum(query) {
      const { read: found, window, context } = await read(query)
      const blocks = window.toBlock - window.fromBlock + 1
      const range = { from: Math.max(0, window.fromBlock - blocks), to: window.fromBlock - 1 }
      const token = context.token.address
      const before = await readBefore(token, range, found.coverage.heads, query)
      const figures: [TransferColumns, TransferColumns] = [found.columns, before.columns]
      const kept = await trailing(token, range)
      return compareWindows(measureWindow(figures[0]), measureWindow(figures[1]), kept, context, {
        fromBlock: range.from,
        toBlock: range.to,
        complete: before.complete && range.to - range.from + 1 === blocks,
      })
    },
  }

  async function readBefore(
    token: Address,
    range: BlockRange,
    heads: Heads,
    { signal, deadlineAt, partial }: TokenQuery,
  ) {
    // The chain is younger than two windows.
    if (range.to < range.from) {
      const { columns } = await source.transfers({ token, fromBlock: 0, toBlock: 0, signal, deadlineAt })
      return { columns: { ...columns, count: 0 }, complete: false }
    }
    const { columns, coverage } = await source.transfers({
      token,
      fromBlock: range.from,
      toBlock: range.to,
      heads,
      signal,
      deadlineAt,
      partial,
    })
    return { columns, complete: coverage.complete }
  }
}
